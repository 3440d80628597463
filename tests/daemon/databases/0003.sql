PRAGMA application_id=1919775588;
PRAGMA user_version=2;
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
INSERT INTO "attempt" VALUES(1,1,1795294024025395,1795294024113537,'[["e1",1,0]]','exit',0,NULL,0.001024,12,'');
INSERT INTO "attempt" VALUES(2,1,1795294024040931,1795294024119256,'[["e1",1,0]]','exit',3,NULL,0.000868,12,'');
INSERT INTO "attempt" VALUES(3,1,1795294024057183,1795294024134003,'[["e1",1,0]]','exit',NULL,9,0.000852,12,'');
INSERT INTO "attempt" VALUES(4,1,1795294024065174,1795294025167171,'[["e1",1,0]]','limit',NULL,15,0.001854,12,'');
INSERT INTO "attempt" VALUES(5,1,1795294024081093,1795294024181093,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795294024096790,1795294024296790,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795294025187746,1795294025253219,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795294025259820,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795294025262072,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,2,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"jobs":0,"next_seq":1}');
INSERT INTO "event" VALUES(2,2,1795294024005444,'node-up',NULL,2,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(3,2,1795294024005444,'node-up',NULL,2,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(4,3,1795294024025395,'submit',1,2,'{"id":1,"seq":1,"user":"root","name":"fine","submit_us":1795294024025165,"eligible_us":1795294024025165,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(5,3,1795294024025395,'start',1,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795294024025395,"reserved_rank":0,"reserved_us":1795294024025395,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024025395,"expected_end_us":10802493278766387,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(6,3,1795294024025395,'promise',1,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795294024025395,"reserved_rank":0,"reserved_us":1795294024025395,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024025395,"expected_end_us":10802493278766387,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,4,1795294024040931,'submit',2,2,'{"id":2,"seq":2,"user":"root","name":"failed","submit_us":1795294024040694,"eligible_us":1795294024040694,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,4,1795294024040931,'start',2,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795294024040931,"reserved_rank":1,"reserved_us":1795294024040931,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024040931,"expected_end_us":10802493278781923,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,4,1795294024040931,'promise',2,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795294024040931,"reserved_rank":1,"reserved_us":1795294024040931,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024040931,"expected_end_us":10802493278781923,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(10,5,1795294024057183,'submit',3,2,'{"id":3,"seq":3,"user":"root","name":"shot","submit_us":1795294024056976,"eligible_us":1795294024056976,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(11,5,1795294024057183,'start',3,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795294024057183,"reserved_rank":2,"reserved_us":1795294024057183,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024057183,"expected_end_us":10802493278798175,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(12,5,1795294024057183,'promise',3,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795294024057183,"reserved_rank":2,"reserved_us":1795294024057183,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024057183,"expected_end_us":10802493278798175,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,6,1795294024065174,'submit',4,2,'{"id":4,"seq":4,"user":"root","name":"slow","submit_us":1795294024064999,"eligible_us":1795294024064999,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(14,6,1795294024065174,'start',4,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795294024065174,"reserved_rank":3,"reserved_us":1795294024065174,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024065174,"expected_end_us":1795294025065174,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,6,1795294024065174,'promise',4,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795294024065174,"reserved_rank":3,"reserved_us":1795294024065174,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024065174,"expected_end_us":1795294025065174,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(16,7,1795294024081093,'submit',5,2,'{"id":5,"seq":5,"user":"ann","name":"timer","submit_us":1795294024080930,"eligible_us":1795294024080930,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(17,7,1795294024081093,'start',5,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795294024081093,"reserved_rank":4,"reserved_us":1795294024081093,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024081093,"expected_end_us":10802493278822085,"end_us":null,"allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(18,7,1795294024081093,'promise',5,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795294024081093,"reserved_rank":4,"reserved_us":1795294024081093,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024081093,"expected_end_us":10802493278822085,"end_us":null,"allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(19,8,1795294024096790,'submit',6,2,'{"id":6,"seq":6,"user":"ann","name":"timer","submit_us":1795294024096635,"eligible_us":1795294024096635,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(20,8,1795294024096790,'start',6,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795294024096790,"reserved_rank":5,"reserved_us":1795294024096790,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024096790,"expected_end_us":10802493278837782,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(21,8,1795294024096790,'promise',6,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795294024096790,"reserved_rank":5,"reserved_us":1795294024096790,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024096790,"expected_end_us":10802493278837782,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(22,9,1795294024114254,'exited',1,2,'{"attempt":1,"node":"e1","end_us":1795294024113537,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001024,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(23,9,1795294024114254,'launched',5,2,'{"attempt":1}');
INSERT INTO "event" VALUES(24,9,1795294024114254,'launched',1,2,'{"attempt":1}');
INSERT INTO "event" VALUES(25,9,1795294024114254,'end',1,2,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795294024025395,"reserved_rank":0,"reserved_us":1795294024025395,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024025395,"expected_end_us":10802493278766387,"end_us":1795294024113537,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001024,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(26,10,1795294024125370,'exited',2,2,'{"attempt":1,"node":"e1","end_us":1795294024119256,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.000868,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(27,10,1795294024125370,'launched',6,2,'{"attempt":1}');
INSERT INTO "event" VALUES(28,10,1795294024125370,'launched',2,2,'{"attempt":1}');
INSERT INTO "event" VALUES(29,10,1795294024125370,'end',2,2,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795294024040931,"reserved_rank":1,"reserved_us":1795294024040931,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024040931,"expected_end_us":10802493278781923,"end_us":1795294024119256,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.000868,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(30,11,1795294024143208,'exited',3,2,'{"attempt":1,"node":"e1","end_us":1795294024134003,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.000852,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(31,11,1795294024143208,'launched',3,2,'{"attempt":1}');
INSERT INTO "event" VALUES(32,11,1795294024143208,'end',3,2,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795294024057183,"reserved_rank":2,"reserved_us":1795294024057183,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024057183,"expected_end_us":10802493278798175,"end_us":1795294024134003,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.000852,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(33,12,1795294024152808,'launched',4,2,'{"attempt":1}');
INSERT INTO "event" VALUES(34,13,1795294024181746,'exited',5,2,'{"attempt":1,"node":"e2","end_us":1795294024181093,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(35,13,1795294024181746,'end',5,2,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795294024081093,"reserved_rank":4,"reserved_us":1795294024081093,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024081093,"expected_end_us":10802493278822085,"end_us":1795294024181093,"allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(36,14,1795294024304602,'exited',6,2,'{"attempt":1,"node":"e2","end_us":1795294024296790,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(37,14,1795294024304602,'end',6,2,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795294024096790,"reserved_rank":5,"reserved_us":1795294024096790,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024096790,"expected_end_us":10802493278837782,"end_us":1795294024296790,"allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,15,1795294025076366,'correct',4,2,'{"job":{"state":"RUNNING","live":true,"attempt":1,"prediction_us":61011192,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795294024065174,"reserved_rank":3,"reserved_us":1795294024065174,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024065174,"expected_end_us":1795294085076366,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(39,16,1795294025167830,'exited',4,2,'{"attempt":1,"node":"e1","end_us":1795294025167171,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.001854,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(40,16,1795294025167830,'end',4,2,'{"job":{"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61011192,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795294024065174,"reserved_rank":3,"reserved_us":1795294024065174,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294024065174,"expected_end_us":1795294085076366,"end_us":1795294025167171,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.001854,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(41,17,1795294025187746,'submit',7,2,'{"id":7,"seq":7,"user":"root","name":"cancelled","submit_us":1795294025187623,"eligible_us":1795294025187623,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(42,17,1795294025187746,'start',7,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795294025187746,"reserved_rank":6,"reserved_us":1795294025187746,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294025187746,"expected_end_us":1795294026187746,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,17,1795294025187746,'promise',7,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795294025187746,"reserved_rank":6,"reserved_us":1795294025187746,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294025187746,"expected_end_us":1795294026187746,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(44,18,1795294025232376,'launched',7,2,'{"attempt":1}');
INSERT INTO "event" VALUES(45,19,1795294025248681,'cancel',7,2,'{}');
INSERT INTO "event" VALUES(46,19,1795294025248681,'stop',7,2,'{"job":{"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795294025187746,"reserved_rank":6,"reserved_us":1795294025187746,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294025187746,"expected_end_us":1795294026187746,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(47,20,1795294025253448,'exited',7,2,'{"attempt":1,"node":"e1","end_us":1795294025253219,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(48,20,1795294025253448,'end',7,2,'{"job":{"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795294025187746,"reserved_rank":6,"reserved_us":1795294025187746,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294025187746,"expected_end_us":1795294026187746,"end_us":1795294025253219,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(49,21,1795294025259820,'submit',8,2,'{"id":8,"seq":8,"user":"root","name":"long","submit_us":1795294025259649,"eligible_us":1795294025259649,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,21,1795294025259820,'start',8,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795294025259820,"reserved_rank":7,"reserved_us":1795294025259820,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294025259820,"expected_end_us":1795294026259820,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,21,1795294025259820,'promise',8,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795294025259820,"reserved_rank":7,"reserved_us":1795294025259820,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294025259820,"expected_end_us":1795294026259820,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(52,22,1795294025262072,'submit',9,2,'{"id":9,"seq":9,"user":"root","name":"wide","submit_us":1795294025261943,"eligible_us":1795294025261943,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(53,22,1795294025262072,'start',9,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795294025262072,"reserved_rank":8,"reserved_us":1795294025262072,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294025262072,"expected_end_us":1795294026262072,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(54,22,1795294025262072,'promise',9,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795294025262072,"reserved_rank":8,"reserved_us":1795294025262072,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795294025262072,"expected_end_us":1795294026262072,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(55,23,1795294025290359,'launched',8,2,'{"attempt":1}');
INSERT INTO "event" VALUES(56,23,1795294025290359,'launched',9,2,'{"attempt":1}');
INSERT INTO "event" VALUES(57,24,1795294025329444,'submit',10,2,'{"id":10,"seq":10,"user":"root","name":"never","submit_us":1795294025329339,"eligible_us":1795294025329339,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(58,24,1795294025329444,'promise',10,2,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795294025329444,"reserved_rank":9,"reserved_us":1795294026262072,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(59,25,1795294025331428,'cancel',10,2,'{}');
INSERT INTO "event" VALUES(60,25,1795294025331428,'end',10,2,'{"job":{"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795294025329444,"reserved_rank":9,"reserved_us":1795294026262072,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795294025331428,"allocation":[],"open_nodes":[],"claim":[],"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(61,26,1795294025334047,'submit',11,2,'{"id":11,"seq":11,"user":"root","name":"waits","submit_us":1795294025333937,"eligible_us":1795294025333937,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(62,26,1795294025334047,'submit',12,2,'{"id":12,"seq":12,"user":"root","name":"waits","submit_us":1795294025333970,"eligible_us":1795294025333970,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(63,26,1795294025334047,'promise',11,2,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795294025334047,"reserved_rank":9,"reserved_us":1795294026262072,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(64,27,1795294025337186,'submit',13,2,'{"id":13,"seq":13,"user":"root","name":"waits-too","submit_us":1795294025337082,"eligible_us":1795294025337082,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(65,28,1795294025341466,'drain',NULL,2,'{"name":"e2","drain_reason":"its fan"}');
CREATE TABLE job (
	id INTEGER NOT NULL, 
	array_id INTEGER, 
	array_index INTEGER, 
	seq INTEGER NOT NULL, 
	user VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	live BOOLEAN NOT NULL, 
	state VARCHAR NOT NULL, 
	submit_us BIGINT NOT NULL, 
	eligible_us BIGINT NOT NULL, 
	estimate_us BIGINT NOT NULL, 
	requeue BOOLEAN NOT NULL, 
	restartable BOOLEAN NOT NULL, 
	request JSON NOT NULL, 
	details JSON NOT NULL, 
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
	tried BOOLEAN NOT NULL, 
	trial_end_us BIGINT, 
	lost_us BIGINT NOT NULL, 
	start_us BIGINT, 
	expected_end_us BIGINT, 
	end_us BIGINT, 
	allocation JSON NOT NULL, 
	open_nodes JSON NOT NULL, 
	claim JSON NOT NULL, 
	stop_cause VARCHAR, 
	cause VARCHAR, 
	exit_code INTEGER, 
	signal INTEGER, 
	cpu_s FLOAT, 
	max_rss_mib INTEGER, 
	message VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "job" VALUES(1,NULL,NULL,1,'root','fine',0,'COMPLETED',1795294024025165,1795294024025165,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"fine","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,0,0,NULL,1795294024025395,0,1795294024025395,0,NULL,0,1795294024025395,10802493278766387,1795294024113537,'[["e1",1,0]]','[]','[]',NULL,'exit',0,NULL,0.001024,12,'');
INSERT INTO "job" VALUES(2,NULL,NULL,2,'root','failed',0,'FAILED',1795294024040694,1795294024040694,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',1,9007199254740992,0,0,1,0,NULL,1795294024040931,1,1795294024040931,0,NULL,0,1795294024040931,10802493278781923,1795294024119256,'[["e1",1,0]]','[]','[]',NULL,'exit',3,NULL,0.000868,12,'');
INSERT INTO "job" VALUES(3,NULL,NULL,3,'root','shot',0,'FAILED',1795294024056976,1795294024056976,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"shot","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,2,0,NULL,1795294024057183,2,1795294024057183,0,NULL,0,1795294024057183,10802493278798175,1795294024134003,'[["e1",1,0]]','[]','[]',NULL,'exit',NULL,9,0.000852,12,'');
INSERT INTO "job" VALUES(4,NULL,NULL,4,'root','slow',0,'TIMEOUT',1795294024064999,1795294024064999,1000000,1,1,'[[1,1,0,false,null]]','{"name":"slow","workdir":"/","stdout":"/dev/null"}',1,61011192,1,1,3,0,NULL,1795294024065174,3,1795294024065174,0,NULL,0,1795294024065174,1795294085076366,1795294025167171,'[["e1",1,0]]','[]','[]',NULL,'limit',NULL,15,0.001854,12,'');
INSERT INTO "job" VALUES(5,NULL,NULL,5,'ann','timer',0,'COMPLETED',1795294024080930,1795294024080930,9007199254740992,1,1,'[[1,1,0,false,"emulated"]]','{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',1,9007199254740992,0,0,4,0,NULL,1795294024081093,4,1795294024081093,0,NULL,0,1795294024081093,10802493278822085,1795294024181093,'[["e2",1,0]]','[]','[]',NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,NULL,NULL,6,'ann','timer',0,'COMPLETED',1795294024096635,1795294024096635,9007199254740992,1,1,'[[3,1,0,false,"emulated"]]','{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',1,9007199254740992,0,0,5,0,NULL,1795294024096790,5,1795294024096790,0,NULL,0,1795294024096790,10802493278837782,1795294024296790,'[["e2",3,0]]','[]','[]',NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,NULL,NULL,7,'root','cancelled',0,'CANCELLED',1795294025187623,1795294025187623,9007199254740992,1,1,'[[1,1,0,false,"emulated"]]','{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,6,0,NULL,1795294025187746,6,1795294025187746,0,NULL,0,1795294025187746,1795294026187746,1795294025253219,'[["e1",1,0]]','[]','[]','user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,NULL,NULL,8,'root','long',1,'RUNNING',1795294025259649,1795294025259649,9007199254740992,1,1,'[[3,1,0,false,"emulated"]]','{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,7,0,NULL,1795294025259820,7,1795294025259820,0,NULL,0,1795294025259820,1795294026259820,NULL,'[["e1",3,0]]','["e1"]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,NULL,NULL,9,'root','wide',1,'RUNNING',1795294025261943,1795294025261943,9007199254740992,1,1,'[[2,1,0,true,"emulated"]]','{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,8,0,NULL,1795294025262072,8,1795294025262072,0,NULL,0,1795294025262072,1795294026262072,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,NULL,NULL,10,'root','never',0,'CANCELLED',1795294025329339,1795294025329339,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,1795294025329444,9,1795294026262072,0,NULL,0,NULL,NULL,1795294025331428,'[]','[]','[]',NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,NULL,NULL,11,'root','waits',1,'PENDING',1795294025333937,1795294025333937,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,1795294025334047,9,1795294026262072,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,NULL,NULL,12,'root','waits',1,'PENDING',1795294025333970,1795294025333970,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,NULL,NULL,13,'root','waits-too',1,'PENDING',1795294025337082,1795294025337082,60000000,1,1,'[[8,1,0,false,null]]','{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','28');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795294025341466');
INSERT INTO "meta" VALUES('last_id','13');
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
	boot_id VARCHAR NOT NULL, 
	agent_version VARCHAR NOT NULL, 
	link VARCHAR NOT NULL, 
	drain_reason VARCHAR, 
	PRIMARY KEY (name)
);
INSERT INTO "node" VALUES('e1','agent_id','emulated',4,8192,'["emulated"]','hostname','','','boot_id','0.1.0','up',NULL);
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','hostname','','','boot_id','0.1.0','up','its fan');
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
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "submission" VALUES('root:152ec02d3d2d4c7ab5363ab21493232e','fc9af16087fa91903726cfcc33a7ec8c',13,1);
INSERT INTO "submission" VALUES('root:1cf7a08183b9c844ca7f893f7fa75a5b','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:36a264c91f2b9a8324b8b270fd1f7f95','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:386d629a334000b770537218cb2b99e1','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:487aed031c0c7c87cfda29f6ff3c32ea','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:63d85e8622b3fc35ce43ff2095cccad5','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:8d132d17bc239f7f1cc0cce9fca82461','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:9ea8c00cc26398dc026d5fbe94cdfbb6','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:a52fb48ace131d074f678cbf78cea26f','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:baaa7b34c205ebeb564fe87dfff46539','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:fb86febdf8d02623f95e2554015eb3e5','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_user ON job (user, seq);
COMMIT;
