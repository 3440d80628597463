PRAGMA application_id=1919775588;
PRAGMA user_version=35;
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
INSERT INTO "attempt" VALUES(1,1,1796079956892570,1796079957066778,'[["e1",1,0]]','exit',0,NULL,0.004982,12,'');
INSERT INTO "attempt" VALUES(2,1,1796079956915309,1796079957070526,'[["e1",1,0]]','exit',3,NULL,0.005595,12,'');
INSERT INTO "attempt" VALUES(3,1,1796079956936572,1796079957101332,'[["e1",1,0]]','exit',NULL,9,0.006437,12,'');
INSERT INTO "attempt" VALUES(4,1,1796079956973236,1796079958065652,'[["e1",1,0]]','limit',NULL,15,0.006247,12,'');
INSERT INTO "attempt" VALUES(5,1,1796079956989832,1796079957089832,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1796079957018059,1796079957218059,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1796079958118612,1796079958204873,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1796079958235905,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1796079958256357,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1796079956892308,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1796079956915083,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1796079956936363,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1796079956972962,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1796079956989573,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1796079957017908,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1796079958118448,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1796079958187685,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1796079958235756,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1796079958256220,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1796079958318521,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1796079958347841,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1796079958371973,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1796079958396196,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1796079958412166,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1796079958432213,'root','admin','socket, uid 0','reserve','reservation course','done');
INSERT INTO "audit" VALUES(17,1796079958452373,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,16,'{"version":"0.1.0","recipe":"rmsd-gentle","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"policies":[[],[],[]],"jobs":0,"next_seq":1,"of_backup":false,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"used_in":{},"virtual":{},"longest_us":null,"unsettled":{},"to_predict":[]}}');
INSERT INTO "event" VALUES(2,2,1796079954767714,'no-op',NULL,16,'{}');
INSERT INTO "event" VALUES(3,3,1796079956855616,'node-up',NULL,16,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"e79b68c1-5541-42a6-8891-8830aff8f732"}');
INSERT INTO "event" VALUES(4,3,1796079956855616,'node-up',NULL,16,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"e79b68c1-5541-42a6-8891-8830aff8f732"}');
INSERT INTO "event" VALUES(5,4,1796079956892570,'submit',1,16,'{"id":1,"user":"root","name":"fine","submit_us":1796079956891426,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1796079956892570,'start',1,16,'{"job":{"seq":1,"eligible_us":1796079956891426,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956892570,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211633562,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1796079956915309,'submit',2,16,'{"id":2,"user":"root","name":"failed","submit_us":1796079956914771,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1796079956915309,'start',2,16,'{"job":{"seq":2,"eligible_us":1796079956914771,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956915309,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211656301,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1796079956936572,'submit',3,16,'{"id":3,"user":"root","name":"shot","submit_us":1796079956935980,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1796079956936572,'start',3,16,'{"job":{"seq":3,"eligible_us":1796079956935980,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956936572,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211677564,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1796079956973236,'submit',4,16,'{"id":4,"user":"root","name":"slow","submit_us":1796079956972502,"estimate_us":1000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1796079956973236,'start',4,16,'{"job":{"seq":4,"eligible_us":1796079956972502,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956973236,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1796079957973236,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1796079956989832,'submit',5,16,'{"id":5,"user":"ann","name":"timer","submit_us":1796079956988180,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1796079956989832,'start',5,16,'{"job":{"seq":5,"eligible_us":1796079956988180,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956989832,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211730824,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1796079957018059,'submit',6,16,'{"id":6,"user":"ann","name":"timer","submit_us":1796079957017622,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1796079957018059,'start',6,16,'{"job":{"seq":6,"eligible_us":1796079957017622,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079957018059,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211759051,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1796079957049479,'launched',5,16,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1796079957049479,'launched',6,16,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1796079957067812,'exited',1,16,'{"attempt":1,"node":"e1","end_us":1796079957066778,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004982,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(20,11,1796079957067812,'launched',2,16,'{"attempt":1}');
INSERT INTO "event" VALUES(21,11,1796079957067812,'launched',1,16,'{"attempt":1}');
INSERT INTO "event" VALUES(22,11,1796079957067812,'end',1,16,'{"job":{"seq":1,"eligible_us":1796079956891426,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956892570,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211633562,"end_us":1796079957066778,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004982,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(23,12,1796079957083688,'exited',2,16,'{"attempt":1,"node":"e1","end_us":1796079957070526,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.005595,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(24,12,1796079957083688,'end',2,16,'{"job":{"seq":2,"eligible_us":1796079956914771,"conditions":[],"requeue_hold":null,"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956915309,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211656301,"end_us":1796079957070526,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.005595,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(25,13,1796079957101606,'launched',3,16,'{"attempt":1}');
INSERT INTO "event" VALUES(26,14,1796079957117901,'exited',3,16,'{"attempt":1,"node":"e1","end_us":1796079957101332,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.006437,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(27,14,1796079957117901,'exited',5,16,'{"attempt":1,"node":"e2","end_us":1796079957089832,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(28,14,1796079957117901,'launched',4,16,'{"attempt":1}');
INSERT INTO "event" VALUES(29,14,1796079957117901,'end',3,16,'{"job":{"seq":3,"eligible_us":1796079956935980,"conditions":[],"requeue_hold":null,"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956936572,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211677564,"end_us":1796079957101332,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.006437,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(30,14,1796079957117901,'end',5,16,'{"job":{"seq":5,"eligible_us":1796079956988180,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956989832,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211730824,"end_us":1796079957089832,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(31,15,1796079957218789,'exited',6,16,'{"attempt":1,"node":"e2","end_us":1796079957218059,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,15,1796079957218789,'end',6,16,'{"job":{"seq":6,"eligible_us":1796079957017622,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079957018059,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803279211759051,"end_us":1796079957218059,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,16,1796079957973236,'correct',4,16,'{"job":{"seq":4,"eligible_us":1796079956972502,"conditions":[],"requeue_hold":null,"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956973236,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1796080017973236,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,17,1796079958066619,'exited',4,16,'{"attempt":1,"node":"e1","end_us":1796079958065652,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.006247,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,17,1796079958066619,'end',4,16,'{"job":{"seq":4,"eligible_us":1796079956972502,"conditions":[],"requeue_hold":null,"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079956973236,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1796080017973236,"end_us":1796079958065652,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.006247,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,18,1796079958118612,'submit',7,16,'{"id":7,"user":"root","name":"cancelled","submit_us":1796079958118119,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,18,1796079958118612,'start',7,16,'{"job":{"seq":7,"eligible_us":1796079958118119,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079958118612,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1796079959118612,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,19,1796079958183430,'launched',7,16,'{"attempt":1}');
INSERT INTO "event" VALUES(39,20,1796079958195630,'cancel',7,16,'{"by":"root"}');
INSERT INTO "event" VALUES(40,20,1796079958195630,'stop',7,16,'{"job":{"seq":7,"eligible_us":1796079958118119,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"cancelled_by":"root","reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079958118612,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1796079958195630,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,21,1796079958204966,'exited',7,16,'{"attempt":1,"node":"e1","end_us":1796079958204873,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,21,1796079958204966,'end',7,16,'{"job":{"seq":7,"eligible_us":1796079958118119,"conditions":[],"requeue_hold":null,"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"cancelled_by":"root","reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079958118612,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1796079958195630,"end_us":1796079958204873,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,22,1796079958235905,'submit',8,16,'{"id":8,"user":"root","name":"long","submit_us":1796079958235440,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,22,1796079958235905,'start',8,16,'{"job":{"seq":8,"eligible_us":1796079958235440,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079958235905,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1796079959235905,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,23,1796079958256357,'launched',8,16,'{"attempt":1}');
INSERT INTO "event" VALUES(46,23,1796079958256357,'submit',9,16,'{"id":9,"user":"root","name":"wide","submit_us":1796079958255963,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null,[],[]]],"size":2,"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(47,23,1796079958256357,'start',9,16,'{"job":{"seq":9,"eligible_us":1796079958255963,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1796079958256357,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1796079959256357,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(48,24,1796079958315427,'launched',9,16,'{"attempt":1}');
INSERT INTO "event" VALUES(49,25,1796079958331720,'submit',10,16,'{"id":10,"user":"root","name":"never","submit_us":1796079958318299,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,25,1796079958331720,'promise',10,16,'{"job":{"seq":10,"eligible_us":1796079958318299,"conditions":[],"requeue_hold":null,"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":1796079958331720,"reserved_rank":9,"reserved_us":1796079959256357,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,26,1796079958348006,'cancel',10,16,'{"by":"root"}');
INSERT INTO "event" VALUES(52,26,1796079958348006,'end',10,16,'{"job":{"seq":10,"eligible_us":1796079958318299,"conditions":[],"requeue_hold":null,"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"cancelled_by":"root","reserved_at_us":1796079958331720,"reserved_rank":9,"reserved_us":1796079959256357,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":1796079958348006,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,27,1796079958372099,'submit',11,16,'{"id":11,"user":"root","name":"waits","submit_us":1796079958371722,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,27,1796079958372099,'submit',12,16,'{"id":12,"user":"root","name":"waits","submit_us":1796079958371722,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,27,1796079958372099,'promise',11,16,'{"job":{"seq":11,"eligible_us":1796079958371722,"conditions":[],"requeue_hold":null,"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"cancelled_by":null,"reserved_at_us":1796079958372099,"reserved_rank":9,"reserved_us":1796079959256357,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,28,1796079958396332,'submit',13,16,'{"id":13,"user":"root","name":"waits-too","submit_us":1796079958395951,"estimate_us":60000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null,[],[]]],"size":8,"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,29,1796079958412241,'drain',NULL,16,'{"name":"e2","drain_reason":"its fan","drain_by":"root"}');
INSERT INTO "event" VALUES(58,30,1796079958432275,'reserve',NULL,16,'{"name":"course","start_us":1796079988432090,"end_us":1796080018432090,"nodes":["e1"],"cores":0,"users":["ann"],"accounts":["physics"],"is_maintenance":false,"groups":[],"members":[],"every_us":0,"until_us":0,"weekdays":0,"ignores_jobs":true,"replaces":false}');
CREATE TABLE job (
	id INTEGER NOT NULL, 
	user VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	submit_us BIGINT NOT NULL, 
	estimate_us BIGINT NOT NULL, 
	deadline_us BIGINT, 
	request JSON NOT NULL, 
	size INTEGER NOT NULL, 
	requeue BOOLEAN NOT NULL, 
	restartable BOOLEAN NOT NULL, 
	details JSON NOT NULL, 
	array_id INTEGER, 
	array_index INTEGER, 
	seq INTEGER NOT NULL, 
	eligible_us BIGINT NOT NULL, 
	conditions JSON NOT NULL, 
	requeue_hold VARCHAR, 
	array JSON NOT NULL, 
	state VARCHAR NOT NULL, 
	live BOOLEAN NOT NULL, 
	attempt INTEGER NOT NULL, 
	prediction_us BIGINT NOT NULL, 
	corrections INTEGER NOT NULL, 
	overruns INTEGER NOT NULL, 
	rank INTEGER, 
	backfilled BOOLEAN NOT NULL, 
	behind INTEGER, 
	cancelled_by VARCHAR, 
	reserved_at_us BIGINT, 
	reserved_rank INTEGER, 
	reserved_us BIGINT, 
	promoted_us BIGINT, 
	tried BOOLEAN NOT NULL, 
	refusals JSON NOT NULL, 
	avoids JSON NOT NULL, 
	trial_end_us BIGINT, 
	lost_us BIGINT NOT NULL, 
	survived_us BIGINT NOT NULL, 
	start_us BIGINT, 
	suspended_us BIGINT NOT NULL, 
	suspended_since_us BIGINT, 
	expected_end_us BIGINT, 
	end_us BIGINT, 
	partition VARCHAR NOT NULL, 
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
INSERT INTO "job" VALUES(1,'root','fine',1796079956891426,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1796079956891426,'[]',NULL,'{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1796079956892570,0,NULL,10803279211633562,1796079957066778,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.004982,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1796079956914771,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1796079956914771,'[]',NULL,'{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1796079956915309,0,NULL,10803279211656301,1796079957070526,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.005595,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1796079956935980,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1796079956935980,'[]',NULL,'{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1796079956936572,0,NULL,10803279211677564,1796079957101332,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.006437,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1796079956972502,1000000,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1796079956972502,'[]',NULL,'{}','TIMEOUT',0,1,61000000,1,1,3,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1796079956973236,0,NULL,1796080017973236,1796079958065652,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.006247,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1796079956988180,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1796079956988180,'[]',NULL,'{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1796079956989832,0,NULL,10803279211730824,1796079957089832,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1796079957017622,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1796079957017622,'[]',NULL,'{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1796079957018059,0,NULL,10803279211759051,1796079957218059,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1796079958118119,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1796079958118119,'[]',NULL,'{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,'root',NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1796079958118612,0,NULL,1796079958195630,1796079958204873,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1796079958235440,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1796079958235440,'[]',NULL,'{}','RUNNING',1,1,1000000,0,0,7,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1796079958235905,0,NULL,1796079959235905,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1796079958255963,9007199254740992,NULL,'[[2,1,0,true,"emulated",null,[],[]]]',2,1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1796079958255963,'[]',NULL,'{}','RUNNING',1,1,1000000,0,0,8,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1796079958256357,0,NULL,1796079959256357,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1796079958318299,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1796079958318299,'[]',NULL,'{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,'root',1796079958331720,9,1796079959256357,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,1796079958348006,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1796079958371722,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1796079958371722,'[]',NULL,'{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,1796079958372099,9,1796079959256357,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1796079958371722,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1796079958371722,'[]',NULL,'{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1796079958395951,60000000,NULL,'[[8,1,0,false,null,null,[],[]]]',8,1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1796079958395951,'[]',NULL,'{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','30');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1796079958432275');
INSERT INTO "meta" VALUES('last_id','13');
INSERT INTO "meta" VALUES('live','5');
INSERT INTO "meta" VALUES('next_seq','14');
INSERT INTO "meta" VALUES('planner','{"order":"","starts":9,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"used_in":{},"virtual":{},"longest_us":1652,"unsettled":{},"to_predict":[]}');
CREATE TABLE node (
	name VARCHAR NOT NULL, 
	agent_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	cores INTEGER NOT NULL, 
	mem_mib INTEGER NOT NULL, 
	features JSON NOT NULL, 
	gres JSON NOT NULL, 
	hostname VARCHAR NOT NULL, 
	os VARCHAR NOT NULL, 
	cpu_model VARCHAR NOT NULL, 
	agent_version VARCHAR NOT NULL, 
	memory_limit VARCHAR NOT NULL, 
	unable VARCHAR NOT NULL, 
	boot_id VARCHAR NOT NULL, 
	link VARCHAR NOT NULL, 
	drain_reason VARCHAR, 
	drain_by VARCHAR NOT NULL, 
	drain_us BIGINT, 
	reboot JSON NOT NULL, 
	failures JSON NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "node" VALUES('e1','agent_id','emulated',4,8192,'["emulated"]','[]','hostname','','','0.1.0','polling','','e79b68c1-5541-42a6-8891-8830aff8f732','up',NULL,'',NULL,'[]','[]');
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','[]','hostname','','','0.1.0','polling','','e79b68c1-5541-42a6-8891-8830aff8f732','up','its fan','root',1796079958412241,'[]','[]');
CREATE TABLE notice (
	job_id INTEGER NOT NULL, 
	event VARCHAR NOT NULL, 
	target VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	PRIMARY KEY (job_id, event)
)
 WITHOUT ROWID

;
CREATE TABLE planned (
	job_id INTEGER NOT NULL, 
	planned_us BIGINT NOT NULL, 
	PRIMARY KEY (job_id)
);
CREATE TABLE reservation (
	name VARCHAR NOT NULL, 
	start_us BIGINT NOT NULL, 
	end_us BIGINT NOT NULL, 
	nodes JSON NOT NULL, 
	cores INTEGER NOT NULL, 
	users JSON NOT NULL, 
	accounts JSON NOT NULL, 
	is_maintenance BOOLEAN NOT NULL, 
	groups JSON NOT NULL, 
	members JSON NOT NULL, 
	every_us BIGINT NOT NULL, 
	until_us BIGINT NOT NULL, 
	weekdays INTEGER NOT NULL, 
	PRIMARY KEY (name)
)
 WITHOUT ROWID

;
INSERT INTO "reservation" VALUES('course',1796079988432090,1796080018432090,'["e1"]',0,'["ann"]','["physics"]',0,'[]','[]',0,0,0);
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
	arrays JSON NOT NULL, 
	PRIMARY KEY (first_id)
)
 WITHOUT ROWID

;
INSERT INTO "submission" VALUES('root:2c1a83f26ec81efd15cb1969db6059a3','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:a90a2ac249e9e19239d6bf163318db0b','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:74e65973771a81ee2e5bb6c21ca810a4','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:6781d2a1672c6dbd182ee00884e43814','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:8b439ab77317421bfb4cd6e754e59193','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:2f357a16d4ce988e5965912d3ba51505','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:12436a771080339acc340cb75a556b04','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:9dcfde70f4ee4f9c7be57e318acef83f','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:48e4bea9ef3a082f7346cac51b51971f','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:089ec395399f87a27b112537cacd1d2e','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:ba71ec447e3aad34074e8100ea899779','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1796079958452328,'root',NULL,NULL,NULL,NULL,'');
CREATE TABLE used (
	user VARCHAR NOT NULL, 
	processor_s FLOAT NOT NULL, 
	at_us BIGINT NOT NULL, 
	PRIMARY KEY (user)
);
CREATE TABLE used_in (
	account VARCHAR NOT NULL, 
	user VARCHAR NOT NULL, 
	processor_s FLOAT NOT NULL, 
	at_us BIGINT NOT NULL, 
	PRIMARY KEY (account, user)
)
 WITHOUT ROWID

;
CREATE TABLE "virtual" (
	job_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	eligible_us BIGINT NOT NULL, 
	size INTEGER NOT NULL, 
	estimate_us BIGINT NOT NULL, 
	start_us BIGINT, 
	run_us BIGINT, 
	look_us BIGINT, 
	PRIMARY KEY (job_id)
);
INSERT INTO "virtual" VALUES(8,8,1796079958235440,3,9007199254740992,1796079958235905,NULL,1796079959235905);
INSERT INTO "virtual" VALUES(9,9,1796079958255963,2,9007199254740992,1796079958256357,NULL,1796079959256357);
INSERT INTO "virtual" VALUES(11,11,1796079958371722,8,9007199254740992,NULL,NULL,NULL);
INSERT INTO "virtual" VALUES(12,12,1796079958371722,8,9007199254740992,NULL,NULL,NULL);
INSERT INTO "virtual" VALUES(13,13,1796079958395951,8,60000000,NULL,NULL,NULL);
CREATE TABLE worst_step (
	job_id INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	exit_code INTEGER NOT NULL, 
	signal INTEGER NOT NULL, 
	PRIMARY KEY (job_id, attempt)
)
 WITHOUT ROWID

;
CREATE INDEX event_setting_aside ON event (id) WHERE kind IN ('reserve', 'unreserve');
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us, size) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX notice_open ON notice (job_id, event) WHERE target != '';
COMMIT;
