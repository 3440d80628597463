PRAGMA application_id=1919775588;
PRAGMA user_version=14;
BEGIN TRANSACTION;
CREATE TABLE attempt (
	job_id INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	start_us BIGINT NOT NULL, 
	end_us BIGINT, 
	allocation JSON NOT NULL, 
	cause VARCHAR, 
	exit_code INTEGER, 
	signal INTEGER, 
	cpu_s FLOAT, 
	max_rss_mib INTEGER, 
	message VARCHAR NOT NULL, 
	PRIMARY KEY (job_id, attempt)
)
 WITHOUT ROWID

;
INSERT INTO "attempt" VALUES(1,1,1795502421752878,1795502421827206,'[["e1",1,0]]','exit',0,NULL,0.001752,10,'');
INSERT INTO "attempt" VALUES(2,1,1795502421756201,1795502421842497,'[["e1",1,0]]','exit',3,NULL,0.00169,10,'');
INSERT INTO "attempt" VALUES(3,1,1795502421758289,1795502421843410,'[["e1",1,0]]','exit',NULL,9,0.002013,10,'');
INSERT INTO "attempt" VALUES(4,1,1795502421760214,1795502422824478,'[["e1",1,0]]','limit',NULL,15,0.002556,10,'');
INSERT INTO "attempt" VALUES(5,1,1795502421762639,1795502421862639,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795502421764379,1795502421964379,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795502422834649,1795502422880362,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795502422884030,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795502422886199,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	at_us BIGINT NOT NULL, 
	user VARCHAR NOT NULL, 
	role VARCHAR NOT NULL, 
	via VARCHAR NOT NULL, 
	action VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	outcome VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,1795502421748141,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795502421756114,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795502421758214,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795502421760148,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795502421762571,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795502421764323,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795502422834573,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795502422878415,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795502422883961,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795502422886143,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795502422934766,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795502422937426,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795502422942174,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795502422944760,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795502422946794,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795502422949141,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
CREATE TABLE event (
	id INTEGER NOT NULL, 
	batch INTEGER NOT NULL, 
	model_us BIGINT NOT NULL, 
	kind VARCHAR NOT NULL, 
	job_id INTEGER, 
	version INTEGER NOT NULL, 
	payload JSON NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,1,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{}}}');
INSERT INTO "event" VALUES(2,2,1795502421191487,'no-op',NULL,1,'{}');
INSERT INTO "event" VALUES(3,3,1795502421741031,'node-up',NULL,1,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795502421741031,'node-up',NULL,1,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795502421752878,'submit',1,1,'{"id":1,"user":"root","name":"fine","submit_us":1795502421747945,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795502421752878,'start',1,1,'{"job":{"seq":1,"eligible_us":1795502421747945,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795502421752878,"reserved_rank":0,"reserved_us":1795502421752878,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421752878,"expected_end_us":10802701676493870,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795502421756201,'submit',2,1,'{"id":2,"user":"root","name":"failed","submit_us":1795502421755988,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795502421756201,'start',2,1,'{"job":{"seq":2,"eligible_us":1795502421755988,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795502421756201,"reserved_rank":1,"reserved_us":1795502421756201,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421756201,"expected_end_us":10802701676497193,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795502421758289,'submit',3,1,'{"id":3,"user":"root","name":"shot","submit_us":1795502421758107,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795502421758289,'start',3,1,'{"job":{"seq":3,"eligible_us":1795502421758107,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795502421758289,"reserved_rank":2,"reserved_us":1795502421758289,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421758289,"expected_end_us":10802701676499281,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795502421760214,'submit',4,1,'{"id":4,"user":"root","name":"slow","submit_us":1795502421760053,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795502421760214,'start',4,1,'{"job":{"seq":4,"eligible_us":1795502421760053,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795502421760214,"reserved_rank":3,"reserved_us":1795502421760214,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421760214,"expected_end_us":1795502422760214,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795502421762639,'submit',5,1,'{"id":5,"user":"ann","name":"timer","submit_us":1795502421761978,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795502421762639,'start',5,1,'{"job":{"seq":5,"eligible_us":1795502421761978,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795502421762639,"reserved_rank":4,"reserved_us":1795502421762639,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421762639,"expected_end_us":10802701676503631,"end_us":null,"allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795502421764379,'submit',6,1,'{"id":6,"user":"ann","name":"timer","submit_us":1795502421764229,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795502421764379,'start',6,1,'{"job":{"seq":6,"eligible_us":1795502421764229,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795502421764379,"reserved_rank":5,"reserved_us":1795502421764379,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421764379,"expected_end_us":10802701676505371,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795502421802168,'launched',5,1,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795502421802168,'launched',6,1,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795502421828497,'exited',1,1,'{"attempt":1,"node":"e1","end_us":1795502421827206,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001752,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(20,11,1795502421828497,'launched',1,1,'{"attempt":1}');
INSERT INTO "event" VALUES(21,11,1795502421828497,'end',1,1,'{"job":{"seq":1,"eligible_us":1795502421747945,"conditions":[],"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795502421752878,"reserved_rank":0,"reserved_us":1795502421752878,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421752878,"expected_end_us":10802701676493870,"end_us":1795502421827206,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001752,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(22,12,1795502421846424,'exited',2,1,'{"attempt":1,"node":"e1","end_us":1795502421842497,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.00169,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(23,12,1795502421846424,'exited',3,1,'{"attempt":1,"node":"e1","end_us":1795502421843410,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.002013,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(24,12,1795502421846424,'launched',2,1,'{"attempt":1}');
INSERT INTO "event" VALUES(25,12,1795502421846424,'launched',3,1,'{"attempt":1}');
INSERT INTO "event" VALUES(26,12,1795502421846424,'launched',4,1,'{"attempt":1}');
INSERT INTO "event" VALUES(27,12,1795502421846424,'end',2,1,'{"job":{"seq":2,"eligible_us":1795502421755988,"conditions":[],"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795502421756201,"reserved_rank":1,"reserved_us":1795502421756201,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421756201,"expected_end_us":10802701676497193,"end_us":1795502421842497,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.00169,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(28,12,1795502421846424,'end',3,1,'{"job":{"seq":3,"eligible_us":1795502421758107,"conditions":[],"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795502421758289,"reserved_rank":2,"reserved_us":1795502421758289,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421758289,"expected_end_us":10802701676499281,"end_us":1795502421843410,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.002013,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(29,13,1795502421863303,'exited',5,1,'{"attempt":1,"node":"e2","end_us":1795502421862639,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(30,13,1795502421863303,'end',5,1,'{"job":{"seq":5,"eligible_us":1795502421761978,"conditions":[],"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795502421762639,"reserved_rank":4,"reserved_us":1795502421762639,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421762639,"expected_end_us":10802701676503631,"end_us":1795502421862639,"allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(31,14,1795502421965089,'exited',6,1,'{"attempt":1,"node":"e2","end_us":1795502421964379,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,14,1795502421965089,'end',6,1,'{"job":{"seq":6,"eligible_us":1795502421764229,"conditions":[],"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795502421764379,"reserved_rank":5,"reserved_us":1795502421764379,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421764379,"expected_end_us":10802701676505371,"end_us":1795502421964379,"allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795502422762009,'correct',4,1,'{"job":{"seq":4,"eligible_us":1795502421760053,"conditions":[],"state":"RUNNING","live":true,"attempt":1,"prediction_us":61001795,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795502421760214,"reserved_rank":3,"reserved_us":1795502421760214,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421760214,"expected_end_us":1795502482762009,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,16,1795502422825773,'exited',4,1,'{"attempt":1,"node":"e1","end_us":1795502422824478,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.002556,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(35,16,1795502422825773,'end',4,1,'{"job":{"seq":4,"eligible_us":1795502421760053,"conditions":[],"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61001795,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795502421760214,"reserved_rank":3,"reserved_us":1795502421760214,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502421760214,"expected_end_us":1795502482762009,"end_us":1795502422824478,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.002556,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(36,17,1795502422834649,'submit',7,1,'{"id":7,"user":"root","name":"cancelled","submit_us":1795502422834462,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,17,1795502422834649,'start',7,1,'{"job":{"seq":7,"eligible_us":1795502422834462,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795502422834649,"reserved_rank":6,"reserved_us":1795502422834649,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502422834649,"expected_end_us":1795502423834649,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,18,1795502422861643,'launched',7,1,'{"attempt":1}');
INSERT INTO "event" VALUES(39,19,1795502422878459,'cancel',7,1,'{}');
INSERT INTO "event" VALUES(40,19,1795502422878459,'stop',7,1,'{"job":{"seq":7,"eligible_us":1795502422834462,"conditions":[],"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795502422834649,"reserved_rank":6,"reserved_us":1795502422834649,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502422834649,"expected_end_us":1795502423834649,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,20,1795502422880457,'exited',7,1,'{"attempt":1,"node":"e1","end_us":1795502422880362,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,20,1795502422880457,'end',7,1,'{"job":{"seq":7,"eligible_us":1795502422834462,"conditions":[],"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795502422834649,"reserved_rank":6,"reserved_us":1795502422834649,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502422834649,"expected_end_us":1795502423834649,"end_us":1795502422880362,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,21,1795502422884030,'submit',8,1,'{"id":8,"user":"root","name":"long","submit_us":1795502422883845,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,21,1795502422884030,'start',8,1,'{"job":{"seq":8,"eligible_us":1795502422883845,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795502422884030,"reserved_rank":7,"reserved_us":1795502422884030,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502422884030,"expected_end_us":1795502423884030,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,22,1795502422886199,'submit',9,1,'{"id":9,"user":"root","name":"wide","submit_us":1795502422886064,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,22,1795502422886199,'start',9,1,'{"job":{"seq":9,"eligible_us":1795502422886064,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795502422886199,"reserved_rank":8,"reserved_us":1795502422886199,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795502422886199,"expected_end_us":1795502423886199,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,23,1795502422911790,'launched',8,1,'{"attempt":1}');
INSERT INTO "event" VALUES(48,23,1795502422911790,'launched',9,1,'{"attempt":1}');
INSERT INTO "event" VALUES(49,24,1795502422934879,'submit',10,1,'{"id":10,"user":"root","name":"never","submit_us":1795502422934616,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,24,1795502422934879,'promise',10,1,'{"job":{"seq":10,"eligible_us":1795502422934616,"conditions":[],"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795502422934879,"reserved_rank":9,"reserved_us":1795502423886199,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,25,1795502422937479,'cancel',10,1,'{}');
INSERT INTO "event" VALUES(52,25,1795502422937479,'end',10,1,'{"job":{"seq":10,"eligible_us":1795502422934616,"conditions":[],"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795502422934879,"reserved_rank":9,"reserved_us":1795502423886199,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795502422937479,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,26,1795502422942239,'submit',11,1,'{"id":11,"user":"root","name":"waits","submit_us":1795502422942066,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,26,1795502422942239,'submit',12,1,'{"id":12,"user":"root","name":"waits","submit_us":1795502422942066,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,26,1795502422942239,'promise',11,1,'{"job":{"seq":11,"eligible_us":1795502422942066,"conditions":[],"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795502422942239,"reserved_rank":9,"reserved_us":1795502423886199,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,27,1795502422944842,'submit',13,1,'{"id":13,"user":"root","name":"waits-too","submit_us":1795502422944628,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,28,1795502422946855,'drain',NULL,1,'{"name":"e2","drain_reason":"its fan"}');
CREATE TABLE job (
	id INTEGER NOT NULL, 
	user VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	submit_us BIGINT NOT NULL, 
	estimate_us BIGINT NOT NULL, 
	request JSON NOT NULL, 
	requeue BOOLEAN NOT NULL, 
	restartable BOOLEAN NOT NULL, 
	details JSON NOT NULL, 
	seq INTEGER NOT NULL, 
	eligible_us BIGINT NOT NULL, 
	conditions JSON NOT NULL, 
	state VARCHAR NOT NULL, 
	live BOOLEAN NOT NULL, 
	attempt INTEGER NOT NULL, 
	prediction_us BIGINT NOT NULL, 
	corrections INTEGER NOT NULL, 
	overruns INTEGER NOT NULL, 
	rank INTEGER, 
	backfilled BOOLEAN NOT NULL, 
	behind INTEGER, 
	reserved_at_us BIGINT, 
	reserved_rank INTEGER, 
	reserved_us BIGINT, 
	promoted_us BIGINT, 
	tried BOOLEAN NOT NULL, 
	trial_end_us BIGINT, 
	lost_us BIGINT NOT NULL, 
	start_us BIGINT, 
	expected_end_us BIGINT, 
	end_us BIGINT, 
	allocation JSON NOT NULL, 
	open_nodes JSON NOT NULL, 
	claim JSON NOT NULL, 
	awaits JSON NOT NULL, 
	draining BOOLEAN NOT NULL, 
	stop_cause VARCHAR, 
	cause VARCHAR, 
	exit_code INTEGER, 
	signal INTEGER, 
	cpu_s FLOAT, 
	max_rss_mib INTEGER, 
	message VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "job" VALUES(1,'root','fine',1795502421747945,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',1,1795502421747945,'[]','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795502421752878,0,1795502421752878,NULL,0,NULL,0,1795502421752878,10802701676493870,1795502421827206,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.001752,10,'');
INSERT INTO "job" VALUES(2,'root','failed',1795502421755988,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',2,1795502421755988,'[]','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795502421756201,1,1795502421756201,NULL,0,NULL,0,1795502421756201,10802701676497193,1795502421842497,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.00169,10,'');
INSERT INTO "job" VALUES(3,'root','shot',1795502421758107,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',3,1795502421758107,'[]','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795502421758289,2,1795502421758289,NULL,0,NULL,0,1795502421758289,10802701676499281,1795502421843410,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.002013,10,'');
INSERT INTO "job" VALUES(4,'root','slow',1795502421760053,1000000,'[[1,1,0,false,null]]',1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',4,1795502421760053,'[]','TIMEOUT',0,1,61001795,1,1,3,0,NULL,1795502421760214,3,1795502421760214,NULL,0,NULL,0,1795502421760214,1795502482762009,1795502422824478,'[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.002556,10,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795502421761978,9007199254740992,'[[1,1,0,false,"emulated"]]',1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',5,1795502421761978,'[]','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795502421762639,4,1795502421762639,NULL,0,NULL,0,1795502421762639,10802701676503631,1795502421862639,'[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795502421764229,9007199254740992,'[[3,1,0,false,"emulated"]]',1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',6,1795502421764229,'[]','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795502421764379,5,1795502421764379,NULL,0,NULL,0,1795502421764379,10802701676505371,1795502421964379,'[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795502422834462,9007199254740992,'[[1,1,0,false,"emulated"]]',1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',7,1795502422834462,'[]','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795502422834649,6,1795502422834649,NULL,0,NULL,0,1795502422834649,1795502423834649,1795502422880362,'[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795502422883845,9007199254740992,'[[3,1,0,false,"emulated"]]',1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',8,1795502422883845,'[]','RUNNING',1,1,1000000,0,0,7,0,NULL,1795502422884030,7,1795502422884030,NULL,0,NULL,0,1795502422884030,1795502423884030,NULL,'[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795502422886064,9007199254740992,'[[2,1,0,true,"emulated"]]',1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',9,1795502422886064,'[]','RUNNING',1,1,1000000,0,0,8,0,NULL,1795502422886199,8,1795502422886199,NULL,0,NULL,0,1795502422886199,1795502423886199,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795502422934616,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',10,1795502422934616,'[]','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795502422934879,9,1795502423886199,NULL,0,NULL,0,NULL,NULL,1795502422937479,'[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795502422942066,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',11,1795502422942066,'[]','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795502422942239,9,1795502423886199,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795502422942066,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',12,1795502422942066,'[]','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795502422944628,60000000,'[[8,1,0,false,null]]',1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',13,1795502422944628,'[]','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','28');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795502422946855');
INSERT INTO "meta" VALUES('last_id','13');
INSERT INTO "meta" VALUES('live','5');
INSERT INTO "meta" VALUES('next_seq','14');
INSERT INTO "meta" VALUES('planner','{"order":"","starts":9,"slowdowns":[],"ended":[],"planned_us":{}}');
CREATE TABLE node (
	name VARCHAR NOT NULL, 
	agent_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	cores INTEGER NOT NULL, 
	mem_mib INTEGER NOT NULL, 
	features JSON NOT NULL, 
	hostname VARCHAR NOT NULL, 
	os VARCHAR NOT NULL, 
	cpu_model VARCHAR NOT NULL, 
	agent_version VARCHAR NOT NULL, 
	memory_limit VARCHAR NOT NULL, 
	link VARCHAR NOT NULL, 
	drain_reason VARCHAR, 
	PRIMARY KEY (name)
);
INSERT INTO "node" VALUES('e1','agent_id','emulated',4,8192,'["emulated"]','hostname','','','0.1.0','polling','up',NULL);
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','hostname','','','0.1.0','polling','up','its fan');
CREATE TABLE notice (
	job_id INTEGER NOT NULL, 
	target VARCHAR NOT NULL, 
	PRIMARY KEY (job_id)
)
 WITHOUT ROWID

;
CREATE TABLE planned (
	job_id INTEGER NOT NULL, 
	planned_us BIGINT NOT NULL, 
	PRIMARY KEY (job_id)
);
CREATE TABLE script (
	job_id INTEGER NOT NULL, 
	payload TEXT NOT NULL, 
	PRIMARY KEY (job_id)
);
INSERT INTO "script" VALUES(1,'{"script":"#!/bin/sh\nexit 0\n","env":{"GREETING":"hello"}}');
INSERT INTO "script" VALUES(2,'{"script":"#!/bin/sh\nexit 3\n"}');
INSERT INTO "script" VALUES(3,'{"script":"#!/bin/sh\nkill -9 $$\n"}');
INSERT INTO "script" VALUES(4,'{"script":"#!/bin/sh\nsleep 60\n"}');
INSERT INTO "script" VALUES(5,'{}');
INSERT INTO "script" VALUES(6,'{}');
INSERT INTO "script" VALUES(7,'{}');
INSERT INTO "script" VALUES(8,'{}');
INSERT INTO "script" VALUES(9,'{}');
INSERT INTO "script" VALUES(10,'{}');
INSERT INTO "script" VALUES(11,'{}');
INSERT INTO "script" VALUES(12,'{}');
INSERT INTO "script" VALUES(13,'{"script":"#!/bin/sh\nexit 0\n"}');
CREATE TABLE submission (
	"key" VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	first_id INTEGER NOT NULL, 
	count INTEGER NOT NULL, 
	PRIMARY KEY (first_id)
)
 WITHOUT ROWID

;
INSERT INTO "submission" VALUES('root:1c65794388fe1c4b7171b7f9af0d70f4','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:f9cf2195cf7e2ad8e986a76dfaafc278','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:f60e003ec02af9bcf89fe334cfeef9c6','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:1389f5a1b85cd89e9f886ae39bc96f10','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:e5ada22f9372404740700154fc07da31','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:727957dddce6ef8fd3c5367092c5f776','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:08c2027ea50512a06c0dc8e09e27d136','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:383632511c380cbcda9f267938baa6ff','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:6ad6821111bdba7c2cf21440bf5e23c3','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:d25c14695baddab1232e3f98a260422a','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
INSERT INTO "submission" VALUES('root:e583f9e80546853c7ba2c1e9f308d566','fc9af16087fa91903726cfcc33a7ec8c',13,1);
CREATE TABLE token (
	id VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	user VARCHAR NOT NULL, 
	role VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	created_us BIGINT NOT NULL, 
	created_by VARCHAR NOT NULL, 
	expires_us BIGINT, 
	revoked_us BIGINT, 
	uses INTEGER, 
	agent_id VARCHAR, 
	made_with VARCHAR NOT NULL, 
	PRIMARY KEY (id)
)
 WITHOUT ROWID

;
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795502422949099,'root',NULL,NULL,NULL,NULL,'');
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_user ON job (user, seq);
COMMIT;
