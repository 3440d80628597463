PRAGMA application_id=1919775588;
PRAGMA user_version=16;
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
INSERT INTO "attempt" VALUES(1,1,1795512003139051,1795512003213272,'[["e1",1,0]]','exit',0,NULL,0.004482,12,'');
INSERT INTO "attempt" VALUES(2,1,1795512003143961,1795512003227934,'[["e1",1,0]]','exit',3,NULL,0.004422,12,'');
INSERT INTO "attempt" VALUES(3,1,1795512003154168,1795512003217344,'[["e1",1,0]]','exit',NULL,9,0.004293,12,'');
INSERT INTO "attempt" VALUES(4,1,1795512003165611,1795512004214398,'[["e1",1,0]]','limit',NULL,15,0.005324,12,'');
INSERT INTO "attempt" VALUES(5,1,1795512003169812,1795512003269812,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795512003182565,1795512003382565,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795512004229314,1795512004282438,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795512004291828,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795512004297388,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795512003138910,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795512003143867,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795512003154069,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795512003165501,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795512003169713,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795512003182466,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795512004229232,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795512004276695,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795512004291743,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795512004297324,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795512004345293,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795512004349482,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795512004355270,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795512004361988,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795512004365679,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795512004369945,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,3,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{}}}');
INSERT INTO "event" VALUES(2,2,1795512002648825,'no-op',NULL,3,'{}');
INSERT INTO "event" VALUES(3,3,1795512003121580,'node-up',NULL,3,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795512003121580,'node-up',NULL,3,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795512003139051,'submit',1,3,'{"id":1,"user":"root","name":"fine","submit_us":1795512003138683,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795512003139051,'start',1,3,'{"job":{"seq":1,"eligible_us":1795512003138683,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795512003139051,"reserved_rank":0,"reserved_us":1795512003139051,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003139051,"expected_end_us":10802711257880043,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795512003143961,'submit',2,3,'{"id":2,"user":"root","name":"failed","submit_us":1795512003143707,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795512003143961,'start',2,3,'{"job":{"seq":2,"eligible_us":1795512003143707,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795512003143961,"reserved_rank":1,"reserved_us":1795512003143961,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003143961,"expected_end_us":10802711257884953,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795512003154168,'submit',3,3,'{"id":3,"user":"root","name":"shot","submit_us":1795512003153901,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795512003154168,'start',3,3,'{"job":{"seq":3,"eligible_us":1795512003153901,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795512003154168,"reserved_rank":2,"reserved_us":1795512003154168,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003154168,"expected_end_us":10802711257895160,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795512003165611,'submit',4,3,'{"id":4,"user":"root","name":"slow","submit_us":1795512003165316,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795512003165611,'start',4,3,'{"job":{"seq":4,"eligible_us":1795512003165316,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795512003165611,"reserved_rank":3,"reserved_us":1795512003165611,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003165611,"expected_end_us":1795512004165611,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795512003169812,'submit',5,3,'{"id":5,"user":"ann","name":"timer","submit_us":1795512003169010,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795512003169812,'start',5,3,'{"job":{"seq":5,"eligible_us":1795512003169010,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795512003169812,"reserved_rank":4,"reserved_us":1795512003169812,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003169812,"expected_end_us":10802711257910804,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795512003182565,'submit',6,3,'{"id":6,"user":"ann","name":"timer","submit_us":1795512003182274,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795512003182565,'start',6,3,'{"job":{"seq":6,"eligible_us":1795512003182274,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795512003182565,"reserved_rank":5,"reserved_us":1795512003182565,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003182565,"expected_end_us":10802711257923557,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795512003208361,'launched',5,3,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795512003208361,'launched',6,3,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795512003215570,'exited',1,3,'{"attempt":1,"node":"e1","end_us":1795512003213272,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004482,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(20,11,1795512003215570,'launched',1,3,'{"attempt":1}');
INSERT INTO "event" VALUES(21,11,1795512003215570,'launched',4,3,'{"attempt":1}');
INSERT INTO "event" VALUES(22,11,1795512003215570,'end',1,3,'{"job":{"seq":1,"eligible_us":1795512003138683,"conditions":[],"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795512003139051,"reserved_rank":0,"reserved_us":1795512003139051,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003139051,"expected_end_us":10802711257880043,"end_us":1795512003213272,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004482,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(23,12,1795512003223022,'exited',3,3,'{"attempt":1,"node":"e1","end_us":1795512003217344,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004293,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(24,12,1795512003223022,'launched',3,3,'{"attempt":1}');
INSERT INTO "event" VALUES(25,12,1795512003223022,'end',3,3,'{"job":{"seq":3,"eligible_us":1795512003153901,"conditions":[],"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795512003154168,"reserved_rank":2,"reserved_us":1795512003154168,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003154168,"expected_end_us":10802711257895160,"end_us":1795512003217344,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004293,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(26,13,1795512003228638,'exited',2,3,'{"attempt":1,"node":"e1","end_us":1795512003227934,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.004422,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(27,13,1795512003228638,'launched',2,3,'{"attempt":1}');
INSERT INTO "event" VALUES(28,13,1795512003228638,'end',2,3,'{"job":{"seq":2,"eligible_us":1795512003143707,"conditions":[],"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795512003143961,"reserved_rank":1,"reserved_us":1795512003143961,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003143961,"expected_end_us":10802711257884953,"end_us":1795512003227934,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.004422,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(29,14,1795512003270461,'exited',5,3,'{"attempt":1,"node":"e2","end_us":1795512003269812,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(30,14,1795512003270461,'end',5,3,'{"job":{"seq":5,"eligible_us":1795512003169010,"conditions":[],"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795512003169812,"reserved_rank":4,"reserved_us":1795512003169812,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003169812,"expected_end_us":10802711257910804,"end_us":1795512003269812,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(31,15,1795512003383211,'exited',6,3,'{"attempt":1,"node":"e2","end_us":1795512003382565,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,15,1795512003383211,'end',6,3,'{"job":{"seq":6,"eligible_us":1795512003182274,"conditions":[],"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795512003182565,"reserved_rank":5,"reserved_us":1795512003182565,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003182565,"expected_end_us":10802711257923557,"end_us":1795512003382565,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,16,1795512004168755,'correct',4,3,'{"job":{"seq":4,"eligible_us":1795512003165316,"conditions":[],"state":"RUNNING","live":true,"attempt":1,"prediction_us":61003144,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795512003165611,"reserved_rank":3,"reserved_us":1795512003165611,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003165611,"expected_end_us":1795512064168755,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,17,1795512004215073,'exited',4,3,'{"attempt":1,"node":"e1","end_us":1795512004214398,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.005324,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,17,1795512004215073,'end',4,3,'{"job":{"seq":4,"eligible_us":1795512003165316,"conditions":[],"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61003144,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795512003165611,"reserved_rank":3,"reserved_us":1795512003165611,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512003165611,"expected_end_us":1795512064168755,"end_us":1795512004214398,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.005324,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,18,1795512004229314,'submit',7,3,'{"id":7,"user":"root","name":"cancelled","submit_us":1795512004229087,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,18,1795512004229314,'start',7,3,'{"job":{"seq":7,"eligible_us":1795512004229087,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795512004229314,"reserved_rank":6,"reserved_us":1795512004229314,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512004229314,"expected_end_us":1795512005229314,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,19,1795512004260399,'launched',7,3,'{"attempt":1}');
INSERT INTO "event" VALUES(39,20,1795512004276752,'cancel',7,3,'{}');
INSERT INTO "event" VALUES(40,20,1795512004276752,'stop',7,3,'{"job":{"seq":7,"eligible_us":1795512004229087,"conditions":[],"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795512004229314,"reserved_rank":6,"reserved_us":1795512004229314,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512004229314,"expected_end_us":1795512005229314,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,21,1795512004282516,'exited',7,3,'{"attempt":1,"node":"e1","end_us":1795512004282438,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,21,1795512004282516,'end',7,3,'{"job":{"seq":7,"eligible_us":1795512004229087,"conditions":[],"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795512004229314,"reserved_rank":6,"reserved_us":1795512004229314,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512004229314,"expected_end_us":1795512005229314,"end_us":1795512004282438,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,22,1795512004291828,'submit',8,3,'{"id":8,"user":"root","name":"long","submit_us":1795512004291522,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,22,1795512004291828,'start',8,3,'{"job":{"seq":8,"eligible_us":1795512004291522,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795512004291828,"reserved_rank":7,"reserved_us":1795512004291828,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512004291828,"expected_end_us":1795512005291828,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,23,1795512004297388,'submit',9,3,'{"id":9,"user":"root","name":"wide","submit_us":1795512004297198,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,23,1795512004297388,'start',9,3,'{"job":{"seq":9,"eligible_us":1795512004297198,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795512004297388,"reserved_rank":8,"reserved_us":1795512004297388,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795512004297388,"expected_end_us":1795512005297388,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,24,1795512004324458,'launched',8,3,'{"attempt":1}');
INSERT INTO "event" VALUES(48,24,1795512004324458,'launched',9,3,'{"attempt":1}');
INSERT INTO "event" VALUES(49,25,1795512004345370,'submit',10,3,'{"id":10,"user":"root","name":"never","submit_us":1795512004345158,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,25,1795512004345370,'promise',10,3,'{"job":{"seq":10,"eligible_us":1795512004345158,"conditions":[],"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795512004345370,"reserved_rank":9,"reserved_us":1795512005297388,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,26,1795512004349518,'cancel',10,3,'{}');
INSERT INTO "event" VALUES(52,26,1795512004349518,'end',10,3,'{"job":{"seq":10,"eligible_us":1795512004345158,"conditions":[],"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795512004345370,"reserved_rank":9,"reserved_us":1795512005297388,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795512004349518,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,27,1795512004355334,'submit',11,3,'{"id":11,"user":"root","name":"waits","submit_us":1795512004355133,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,27,1795512004355334,'submit',12,3,'{"id":12,"user":"root","name":"waits","submit_us":1795512004355133,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,27,1795512004355334,'promise',11,3,'{"job":{"seq":11,"eligible_us":1795512004355133,"conditions":[],"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795512004355334,"reserved_rank":9,"reserved_us":1795512005297388,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,28,1795512004362053,'submit',13,3,'{"id":13,"user":"root","name":"waits-too","submit_us":1795512004361855,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,29,1795512004365722,'drain',NULL,3,'{"name":"e2","drain_reason":"its fan"}');
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
	refusals JSON NOT NULL, 
	avoids JSON NOT NULL, 
	trial_end_us BIGINT, 
	lost_us BIGINT NOT NULL, 
	start_us BIGINT, 
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
INSERT INTO "job" VALUES(1,'root','fine',1795512003138683,9007199254740992,'[[1,1,0,false,null,null]]',1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',1,1795512003138683,'[]','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795512003139051,0,1795512003139051,NULL,0,'[]','[]',NULL,0,1795512003139051,10802711257880043,1795512003213272,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.004482,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795512003143707,9007199254740992,'[[1,1,0,false,null,null]]',1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',2,1795512003143707,'[]','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795512003143961,1,1795512003143961,NULL,0,'[]','[]',NULL,0,1795512003143961,10802711257884953,1795512003227934,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.004422,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795512003153901,9007199254740992,'[[1,1,0,false,null,null]]',1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',3,1795512003153901,'[]','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795512003154168,2,1795512003154168,NULL,0,'[]','[]',NULL,0,1795512003154168,10802711257895160,1795512003217344,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.004293,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795512003165316,1000000,'[[1,1,0,false,null,null]]',1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',4,1795512003165316,'[]','TIMEOUT',0,1,61003144,1,1,3,0,NULL,1795512003165611,3,1795512003165611,NULL,0,'[]','[]',NULL,0,1795512003165611,1795512064168755,1795512004214398,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.005324,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795512003169010,9007199254740992,'[[1,1,0,false,"emulated",null]]',1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',5,1795512003169010,'[]','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795512003169812,4,1795512003169812,NULL,0,'[]','[]',NULL,0,1795512003169812,10802711257910804,1795512003269812,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795512003182274,9007199254740992,'[[3,1,0,false,"emulated",null]]',1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',6,1795512003182274,'[]','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795512003182565,5,1795512003182565,NULL,0,'[]','[]',NULL,0,1795512003182565,10802711257923557,1795512003382565,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795512004229087,9007199254740992,'[[1,1,0,false,"emulated",null]]',1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',7,1795512004229087,'[]','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795512004229314,6,1795512004229314,NULL,0,'[]','[]',NULL,0,1795512004229314,1795512005229314,1795512004282438,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795512004291522,9007199254740992,'[[3,1,0,false,"emulated",null]]',1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',8,1795512004291522,'[]','RUNNING',1,1,1000000,0,0,7,0,NULL,1795512004291828,7,1795512004291828,NULL,0,'[]','[]',NULL,0,1795512004291828,1795512005291828,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795512004297198,9007199254740992,'[[2,1,0,true,"emulated",null]]',1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',9,1795512004297198,'[]','RUNNING',1,1,1000000,0,0,8,0,NULL,1795512004297388,8,1795512004297388,NULL,0,'[]','[]',NULL,0,1795512004297388,1795512005297388,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795512004345158,9007199254740992,'[[8,1,0,false,"emulated",null]]',1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',10,1795512004345158,'[]','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795512004345370,9,1795512005297388,NULL,0,'[]','[]',NULL,0,NULL,NULL,1795512004349518,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795512004355133,9007199254740992,'[[8,1,0,false,"emulated",null]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',11,1795512004355133,'[]','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795512004355334,9,1795512005297388,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795512004355133,9007199254740992,'[[8,1,0,false,"emulated",null]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',12,1795512004355133,'[]','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795512004361855,60000000,'[[8,1,0,false,null,null]]',1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',13,1795512004361855,'[]','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','29');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795512004365722');
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
	failures JSON NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "node" VALUES('e1','agent_id','emulated',4,8192,'["emulated"]','hostname','','','0.1.0','polling','up',NULL,'[]');
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','hostname','','','0.1.0','polling','up','its fan','[]');
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
INSERT INTO "submission" VALUES('root:ca0f27854038ed004b3ecdd460067324','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:d8217722db5a6c257368636b73bcfa60','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:6dba87b63a0bb076ddbfc6eb95d971e3','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:5ee24391b3968ccc46259f126ab6ad41','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:972d3ce092effd0c65c28f5d95d6722a','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:7d0794bd2eeba415577e70bf3b82397d','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:31cb74c9acae7b5ff784c934cd61ec2d','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:1d0363c1e5d1b31edc2d36949c78f067','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:44c65cae229c8bea7b3e245a6db3f6c8','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:aa9a1c7ef7db29ed422e94bbb834c585','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
INSERT INTO "submission" VALUES('root:f1f2919c9e5896cfab8070e9bca56768','fc9af16087fa91903726cfcc33a7ec8c',13,1);
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795512004369915,'root',NULL,NULL,NULL,NULL,'');
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_user ON job (user, seq);
COMMIT;
