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
INSERT INTO "attempt" VALUES(1,1,1795293798697381,1795293798877502,'[["e1",1,0]]','exit',0,NULL,0.001085,12,'');
INSERT INTO "attempt" VALUES(2,1,1795293798717551,1795293798907462,'[["e1",1,0]]','exit',3,NULL,0.000943,12,'');
INSERT INTO "attempt" VALUES(3,1,1795293798737794,1795293798926424,'[["e1",1,0]]','exit',NULL,9,0.000802,12,'');
INSERT INTO "attempt" VALUES(4,1,1795293798749185,1795293799968923,'[["e1",1,0]]','limit',NULL,15,0.002395,12,'');
INSERT INTO "attempt" VALUES(5,1,1795293798768915,1795293798868915,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795293798792709,1795293798992709,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795293800010004,1795293800109514,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795293800137661,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795293800163064,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,3,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{}}}');
INSERT INTO "event" VALUES(2,2,1795293797486626,'woken',NULL,3,'{}');
INSERT INTO "event" VALUES(3,3,1795293798687897,'node-up',NULL,3,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(4,3,1795293798687897,'node-up',NULL,3,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(5,4,1795293798697381,'submit',1,3,'{"id":1,"seq":1,"user":"root","name":"fine","submit_us":1795293798697126,"eligible_us":1795293798697126,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795293798697381,'start',1,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795293798697381,"reserved_rank":0,"reserved_us":1795293798697381,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798697381,"expected_end_us":10802493053438373,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795293798717551,'submit',2,3,'{"id":2,"seq":2,"user":"root","name":"failed","submit_us":1795293798717419,"eligible_us":1795293798717419,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795293798717551,'start',2,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795293798717551,"reserved_rank":1,"reserved_us":1795293798717551,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798717551,"expected_end_us":10802493053458543,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795293798737794,'submit',3,3,'{"id":3,"seq":3,"user":"root","name":"shot","submit_us":1795293798737622,"eligible_us":1795293798737622,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795293798737794,'start',3,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795293798737794,"reserved_rank":2,"reserved_us":1795293798737794,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798737794,"expected_end_us":10802493053478786,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795293798749185,'submit',4,3,'{"id":4,"seq":4,"user":"root","name":"slow","submit_us":1795293798748969,"eligible_us":1795293798748969,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795293798749185,'start',4,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795293798749185,"reserved_rank":3,"reserved_us":1795293798749185,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798749185,"expected_end_us":1795293799749185,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795293798768915,'submit',5,3,'{"id":5,"seq":5,"user":"ann","name":"timer","submit_us":1795293798768708,"eligible_us":1795293798768708,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795293798768915,'start',5,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795293798768915,"reserved_rank":4,"reserved_us":1795293798768915,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798768915,"expected_end_us":10802493053509907,"end_us":null,"allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795293798792709,'submit',6,3,'{"id":6,"seq":6,"user":"ann","name":"timer","submit_us":1795293798792527,"eligible_us":1795293798792527,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795293798792709,'start',6,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795293798792709,"reserved_rank":5,"reserved_us":1795293798792709,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798792709,"expected_end_us":10802493053533701,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795293798836742,'launched',5,3,'{"attempt":1}');
INSERT INTO "event" VALUES(18,11,1795293798872914,'exited',5,3,'{"attempt":1,"node":"e2","end_us":1795293798868915,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(19,11,1795293798872914,'launched',6,3,'{"attempt":1}');
INSERT INTO "event" VALUES(20,11,1795293798872914,'end',5,3,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795293798768915,"reserved_rank":4,"reserved_us":1795293798768915,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798768915,"expected_end_us":10802493053509907,"end_us":1795293798868915,"allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(21,12,1795293798879219,'exited',1,3,'{"attempt":1,"node":"e1","end_us":1795293798877502,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001085,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(22,12,1795293798879219,'launched',1,3,'{"attempt":1}');
INSERT INTO "event" VALUES(23,12,1795293798879219,'end',1,3,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795293798697381,"reserved_rank":0,"reserved_us":1795293798697381,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798697381,"expected_end_us":10802493053438373,"end_us":1795293798877502,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001085,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(24,13,1795293798908354,'exited',2,3,'{"attempt":1,"node":"e1","end_us":1795293798907462,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.000943,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(25,13,1795293798908354,'launched',2,3,'{"attempt":1}');
INSERT INTO "event" VALUES(26,13,1795293798908354,'launched',3,3,'{"attempt":1}');
INSERT INTO "event" VALUES(27,13,1795293798908354,'end',2,3,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795293798717551,"reserved_rank":1,"reserved_us":1795293798717551,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798717551,"expected_end_us":10802493053458543,"end_us":1795293798907462,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.000943,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(28,14,1795293798945095,'exited',3,3,'{"attempt":1,"node":"e1","end_us":1795293798926424,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.000802,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(29,14,1795293798945095,'end',3,3,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795293798737794,"reserved_rank":2,"reserved_us":1795293798737794,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798737794,"expected_end_us":10802493053478786,"end_us":1795293798926424,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.000802,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(30,15,1795293798978651,'launched',4,3,'{"attempt":1}');
INSERT INTO "event" VALUES(31,16,1795293798995056,'exited',6,3,'{"attempt":1,"node":"e2","end_us":1795293798992709,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,16,1795293798995056,'end',6,3,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795293798792709,"reserved_rank":5,"reserved_us":1795293798792709,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798792709,"expected_end_us":10802493053533701,"end_us":1795293798992709,"allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,17,1795293799756450,'correct',4,3,'{"job":{"state":"RUNNING","live":true,"attempt":1,"prediction_us":61007265,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795293798749185,"reserved_rank":3,"reserved_us":1795293798749185,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798749185,"expected_end_us":1795293859756450,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,18,1795293799969643,'exited',4,3,'{"attempt":1,"node":"e1","end_us":1795293799968923,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.002395,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,18,1795293799969643,'end',4,3,'{"job":{"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61007265,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795293798749185,"reserved_rank":3,"reserved_us":1795293798749185,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293798749185,"expected_end_us":1795293859756450,"end_us":1795293799968923,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.002395,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,19,1795293800010004,'submit',7,3,'{"id":7,"seq":7,"user":"root","name":"cancelled","submit_us":1795293800009789,"eligible_us":1795293800009789,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,19,1795293800010004,'start',7,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795293800010004,"reserved_rank":6,"reserved_us":1795293800010004,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293800010004,"expected_end_us":1795293801010004,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,20,1795293800053684,'launched',7,3,'{"attempt":1}');
INSERT INTO "event" VALUES(39,21,1795293800097045,'cancel',7,3,'{}');
INSERT INTO "event" VALUES(40,21,1795293800097045,'stop',7,3,'{"job":{"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795293800010004,"reserved_rank":6,"reserved_us":1795293800010004,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293800010004,"expected_end_us":1795293801010004,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,22,1795293800109607,'exited',7,3,'{"attempt":1,"node":"e1","end_us":1795293800109514,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,22,1795293800109607,'end',7,3,'{"job":{"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795293800010004,"reserved_rank":6,"reserved_us":1795293800010004,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293800010004,"expected_end_us":1795293801010004,"end_us":1795293800109514,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,23,1795293800137661,'submit',8,3,'{"id":8,"seq":8,"user":"root","name":"long","submit_us":1795293800137486,"eligible_us":1795293800137486,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,23,1795293800137661,'start',8,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795293800137661,"reserved_rank":7,"reserved_us":1795293800137661,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293800137661,"expected_end_us":1795293801137661,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,24,1795293800163064,'submit',9,3,'{"id":9,"seq":9,"user":"root","name":"wide","submit_us":1795293800162887,"eligible_us":1795293800162887,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,24,1795293800163064,'start',9,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795293800163064,"reserved_rank":8,"reserved_us":1795293800163064,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293800163064,"expected_end_us":1795293801163064,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,25,1795293800192441,'launched',8,3,'{"attempt":1}');
INSERT INTO "event" VALUES(48,25,1795293800192441,'launched',9,3,'{"attempt":1}');
INSERT INTO "event" VALUES(49,26,1795293800234486,'submit',10,3,'{"id":10,"seq":10,"user":"root","name":"never","submit_us":1795293800234345,"eligible_us":1795293800234345,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,26,1795293800234486,'promise',10,3,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795293800234486,"reserved_rank":9,"reserved_us":1795293801163064,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,27,1795293800249474,'cancel',10,3,'{}');
INSERT INTO "event" VALUES(52,27,1795293800249474,'end',10,3,'{"job":{"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795293800234486,"reserved_rank":9,"reserved_us":1795293801163064,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795293800249474,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,28,1795293800270275,'submit',11,3,'{"id":11,"seq":11,"user":"root","name":"waits","submit_us":1795293800270092,"eligible_us":1795293800270092,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,28,1795293800270275,'submit',12,3,'{"id":12,"seq":12,"user":"root","name":"waits","submit_us":1795293800270092,"eligible_us":1795293800270092,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,28,1795293800270275,'promise',11,3,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795293800270275,"reserved_rank":9,"reserved_us":1795293801163064,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,29,1795293800285728,'submit',13,3,'{"id":13,"seq":13,"user":"root","name":"waits-too","submit_us":1795293800285542,"eligible_us":1795293800285542,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,30,1795293800300740,'drain',NULL,3,'{"name":"e2","drain_reason":"its fan"}');
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
	owes BOOLEAN NOT NULL, 
	stop_cause VARCHAR, 
	cause VARCHAR, 
	exit_code INTEGER, 
	signal INTEGER, 
	cpu_s FLOAT, 
	max_rss_mib INTEGER, 
	message VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "job" VALUES(1,NULL,NULL,1,'root','fine',0,'COMPLETED',1795293798697126,1795293798697126,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"fine","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,0,0,NULL,1795293798697381,0,1795293798697381,NULL,0,NULL,0,1795293798697381,10802493053438373,1795293798877502,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.001085,12,'');
INSERT INTO "job" VALUES(2,NULL,NULL,2,'root','failed',0,'FAILED',1795293798717419,1795293798717419,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',1,9007199254740992,0,0,1,0,NULL,1795293798717551,1,1795293798717551,NULL,0,NULL,0,1795293798717551,10802493053458543,1795293798907462,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.000943,12,'');
INSERT INTO "job" VALUES(3,NULL,NULL,3,'root','shot',0,'FAILED',1795293798737622,1795293798737622,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"shot","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,2,0,NULL,1795293798737794,2,1795293798737794,NULL,0,NULL,0,1795293798737794,10802493053478786,1795293798926424,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.000802,12,'');
INSERT INTO "job" VALUES(4,NULL,NULL,4,'root','slow',0,'TIMEOUT',1795293798748969,1795293798748969,1000000,1,1,'[[1,1,0,false,null]]','{"name":"slow","workdir":"/","stdout":"/dev/null"}',1,61007265,1,1,3,0,NULL,1795293798749185,3,1795293798749185,NULL,0,NULL,0,1795293798749185,1795293859756450,1795293799968923,'[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.002395,12,'');
INSERT INTO "job" VALUES(5,NULL,NULL,5,'ann','timer',0,'COMPLETED',1795293798768708,1795293798768708,9007199254740992,1,1,'[[1,1,0,false,"emulated"]]','{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',1,9007199254740992,0,0,4,0,NULL,1795293798768915,4,1795293798768915,NULL,0,NULL,0,1795293798768915,10802493053509907,1795293798868915,'[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,NULL,NULL,6,'ann','timer',0,'COMPLETED',1795293798792527,1795293798792527,9007199254740992,1,1,'[[3,1,0,false,"emulated"]]','{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',1,9007199254740992,0,0,5,0,NULL,1795293798792709,5,1795293798792709,NULL,0,NULL,0,1795293798792709,10802493053533701,1795293798992709,'[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,NULL,NULL,7,'root','cancelled',0,'CANCELLED',1795293800009789,1795293800009789,9007199254740992,1,1,'[[1,1,0,false,"emulated"]]','{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,6,0,NULL,1795293800010004,6,1795293800010004,NULL,0,NULL,0,1795293800010004,1795293801010004,1795293800109514,'[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,NULL,NULL,8,'root','long',1,'RUNNING',1795293800137486,1795293800137486,9007199254740992,1,1,'[[3,1,0,false,"emulated"]]','{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,7,0,NULL,1795293800137661,7,1795293800137661,NULL,0,NULL,0,1795293800137661,1795293801137661,NULL,'[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,NULL,NULL,9,'root','wide',1,'RUNNING',1795293800162887,1795293800162887,9007199254740992,1,1,'[[2,1,0,true,"emulated"]]','{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,8,0,NULL,1795293800163064,8,1795293800163064,NULL,0,NULL,0,1795293800163064,1795293801163064,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,NULL,NULL,10,'root','never',0,'CANCELLED',1795293800234345,1795293800234345,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,1795293800234486,9,1795293801163064,NULL,0,NULL,0,NULL,NULL,1795293800249474,'[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,NULL,NULL,11,'root','waits',1,'PENDING',1795293800270092,1795293800270092,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,1795293800270275,9,1795293801163064,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,NULL,NULL,12,'root','waits',1,'PENDING',1795293800270092,1795293800270092,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,NULL,NULL,13,'root','waits-too',1,'PENDING',1795293800285542,1795293800285542,60000000,1,1,'[[8,1,0,false,null]]','{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','30');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795293800300740');
INSERT INTO "meta" VALUES('last_id','13');
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
	boot_id VARCHAR NOT NULL, 
	agent_version VARCHAR NOT NULL, 
	link VARCHAR NOT NULL, 
	drain_reason VARCHAR, 
	PRIMARY KEY (name)
);
INSERT INTO "node" VALUES('e1','agent_id','emulated',4,8192,'["emulated"]','hostname','','','boot_id','0.1.0','up',NULL);
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','hostname','','','boot_id','0.1.0','up','its fan');
CREATE TABLE notice (
	job_id INTEGER NOT NULL, 
	target VARCHAR NOT NULL, 
	PRIMARY KEY (job_id)
)
 WITHOUT ROWID

;
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
INSERT INTO "submission" VALUES('root:0d3802b94029a61d6f938a0850897618','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:2b9ae562a921a48d2d86b1990a2d9e24','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:31a432c6a521944b4ef87fdbd6d8856b','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:3d0e3c8c920a27d9a9ef8fd89ab5fb19','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:710dc2855667ccd24cb99893a5b39d99','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:7374e0e2f1083408c19175c8631ab650','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:93cff48ab7563303f9e6a07c557dee21','fc9af16087fa91903726cfcc33a7ec8c',13,1);
INSERT INTO "submission" VALUES('root:b09208799b5ef3a7522436ba7fe61ff9','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:bb72f925d2b1d8876c90d5058aea9353','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:c01f1f90c3583fcb1235e890349b8331','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:c49169fed158a039d3c65eaf4a29052d','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_user ON job (user, seq);
COMMIT;
