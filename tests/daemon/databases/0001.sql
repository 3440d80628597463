PRAGMA application_id=1919775588;
PRAGMA user_version=1;
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
);
INSERT INTO "attempt" VALUES(1,1,1795293723654038,1795293723666098,'[["e1",1,0]]','exit',0,NULL,0.001228,12,'');
INSERT INTO "attempt" VALUES(2,1,1795293723662101,1795293723672194,'[["e1",1,0]]','exit',3,NULL,0.000961,12,'');
INSERT INTO "attempt" VALUES(3,1,1795293723667799,1795293723686382,'[["e1",1,0]]','exit',NULL,9,0.000959,12,'');
INSERT INTO "attempt" VALUES(4,1,1795293723672587,1795293724696089,'[["e1",1,0]]','limit',NULL,15,0.001883,12,'');
INSERT INTO "attempt" VALUES(5,1,1795293723681079,1795293723781079,'[["e1",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795293723696777,1795293723896777,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795293724710228,1795293724770383,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795293724776051,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795293724780062,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,1,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"jobs":0,"next_seq":1}');
INSERT INTO "event" VALUES(2,2,1795293723607297,'node-up',NULL,1,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(3,2,1795293723607297,'node-up',NULL,1,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(4,3,1795293723654038,'submit',1,1,'{"id":1,"seq":1,"user":"root","name":"fine","submit_us":1795293723653780,"eligible_us":1795293723653780,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(5,3,1795293723654038,'start',1,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723654038,"expected_end_us":10802492978395030,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(6,4,1795293723662101,'submit',2,1,'{"id":2,"seq":2,"user":"root","name":"failed","submit_us":1795293723661905,"eligible_us":1795293723661905,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(7,4,1795293723662101,'start',2,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723662101,"expected_end_us":10802492978403093,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(8,5,1795293723667799,'exited',1,1,'{"attempt":1,"node":"e1","end_us":1795293723666098,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001228,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(9,5,1795293723667799,'launched',1,1,'{"attempt":1}');
INSERT INTO "event" VALUES(10,5,1795293723667799,'submit',3,1,'{"id":3,"seq":3,"user":"root","name":"shot","submit_us":1795293723667664,"eligible_us":1795293723667664,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(11,5,1795293723667799,'end',1,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723654038,"expected_end_us":10802492978395030,"end_us":1795293723666098,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001228,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(12,5,1795293723667799,'start',3,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723667799,"expected_end_us":10802492978408791,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,6,1795293723672587,'submit',4,1,'{"id":4,"seq":4,"user":"root","name":"slow","submit_us":1795293723672395,"eligible_us":1795293723672395,"estimate_us":1000000,"requeue":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(14,6,1795293723672587,'start',4,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723672587,"expected_end_us":1795293724672587,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,7,1795293723677541,'exited',2,1,'{"attempt":1,"node":"e1","end_us":1795293723672194,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.000961,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(16,7,1795293723677541,'launched',2,1,'{"attempt":1}');
INSERT INTO "event" VALUES(17,7,1795293723677541,'end',2,1,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723662101,"expected_end_us":10802492978403093,"end_us":1795293723672194,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.000961,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(18,8,1795293723681079,'submit',5,1,'{"id":5,"seq":5,"user":"ann","name":"timer","submit_us":1795293723680924,"eligible_us":1795293723680924,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(19,8,1795293723681079,'start',5,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723681079,"expected_end_us":10802492978422071,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(20,9,1795293723687191,'exited',3,1,'{"attempt":1,"node":"e1","end_us":1795293723686382,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.000959,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(21,9,1795293723687191,'launched',3,1,'{"attempt":1}');
INSERT INTO "event" VALUES(22,9,1795293723687191,'launched',4,1,'{"attempt":1}');
INSERT INTO "event" VALUES(23,9,1795293723687191,'end',3,1,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723667799,"expected_end_us":10802492978408791,"end_us":1795293723686382,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.000959,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(24,10,1795293723696777,'launched',5,1,'{"attempt":1}');
INSERT INTO "event" VALUES(25,10,1795293723696777,'submit',6,1,'{"id":6,"seq":6,"user":"ann","name":"timer","submit_us":1795293723692699,"eligible_us":1795293723692699,"estimate_us":9007199254740992,"requeue":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(26,10,1795293723696777,'start',6,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723696777,"expected_end_us":10802492978437769,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(27,11,1795293723708848,'launched',6,1,'{"attempt":1}');
INSERT INTO "event" VALUES(28,12,1795293723782010,'exited',5,1,'{"attempt":1,"node":"e1","end_us":1795293723781079,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(29,12,1795293723782010,'end',5,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723681079,"expected_end_us":10802492978422071,"end_us":1795293723781079,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(30,13,1795293723897429,'exited',6,1,'{"attempt":1,"node":"e2","end_us":1795293723896777,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(31,13,1795293723897429,'end',6,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293723696777,"expected_end_us":10802492978437769,"end_us":1795293723896777,"allocation":[["e2",3,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(32,14,1795293724676501,'correct',4,1,'{"job":{"state":"RUNNING","live":true,"attempt":1,"prediction_us":61003914,"corrections":1,"overruns":1,"backfilled":false,"start_us":1795293723672587,"expected_end_us":1795293784676501,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795293724696694,'exited',4,1,'{"attempt":1,"node":"e1","end_us":1795293724696089,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.001883,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(34,15,1795293724696694,'end',4,1,'{"job":{"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61003914,"corrections":1,"overruns":1,"backfilled":false,"start_us":1795293723672587,"expected_end_us":1795293784676501,"end_us":1795293724696089,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.001883,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(35,16,1795293724710228,'submit',7,1,'{"id":7,"seq":7,"user":"root","name":"cancelled","submit_us":1795293724710059,"eligible_us":1795293724710059,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(36,16,1795293724710228,'start',7,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293724710228,"expected_end_us":1795293725710228,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(37,17,1795293724734298,'launched',7,1,'{"attempt":1}');
INSERT INTO "event" VALUES(38,18,1795293724766979,'cancel',7,1,'{}');
INSERT INTO "event" VALUES(39,18,1795293724766979,'stop',7,1,'{"job":{"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293724710228,"expected_end_us":1795293725710228,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(40,19,1795293724770515,'exited',7,1,'{"attempt":1,"node":"e1","end_us":1795293724770383,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(41,19,1795293724770515,'end',7,1,'{"job":{"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293724710228,"expected_end_us":1795293725710228,"end_us":1795293724770383,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(42,20,1795293724776051,'submit',8,1,'{"id":8,"seq":8,"user":"root","name":"long","submit_us":1795293724775865,"eligible_us":1795293724775865,"estimate_us":9007199254740992,"requeue":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(43,20,1795293724776051,'start',8,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293724776051,"expected_end_us":1795293725776051,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(44,21,1795293724780062,'launched',8,1,'{"attempt":1}');
INSERT INTO "event" VALUES(45,21,1795293724780062,'submit',9,1,'{"id":9,"seq":9,"user":"root","name":"wide","submit_us":1795293724779898,"eligible_us":1795293724779898,"estimate_us":9007199254740992,"requeue":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,21,1795293724780062,'start',9,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293724780062,"expected_end_us":1795293725780062,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,22,1795293724800056,'launched',9,1,'{"attempt":1}');
INSERT INTO "event" VALUES(48,23,1795293724836809,'submit',10,1,'{"id":10,"seq":10,"user":"root","name":"never","submit_us":1795293724836648,"eligible_us":1795293724836648,"estimate_us":9007199254740992,"requeue":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(49,24,1795293724839017,'cancel',10,1,'{}');
INSERT INTO "event" VALUES(50,24,1795293724839017,'end',10,1,'{"job":{"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":null,"expected_end_us":null,"end_us":1795293724839017,"allocation":[],"open_nodes":[],"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,25,1795293724841149,'submit',11,1,'{"id":11,"seq":11,"user":"root","name":"waits","submit_us":1795293724841012,"eligible_us":1795293724841012,"estimate_us":9007199254740992,"requeue":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(52,25,1795293724841149,'submit',12,1,'{"id":12,"seq":12,"user":"root","name":"waits","submit_us":1795293724841054,"eligible_us":1795293724841054,"estimate_us":9007199254740992,"requeue":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(53,26,1795293724843173,'submit',13,1,'{"id":13,"seq":13,"user":"root","name":"waits-too","submit_us":1795293724843032,"eligible_us":1795293724843032,"estimate_us":60000000,"requeue":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,27,1795293724845147,'drain',NULL,1,'{"name":"e2","drain_reason":"its fan"}');
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
	request JSON NOT NULL, 
	details JSON NOT NULL, 
	attempt INTEGER NOT NULL, 
	prediction_us BIGINT NOT NULL, 
	corrections INTEGER NOT NULL, 
	overruns INTEGER NOT NULL, 
	backfilled BOOLEAN NOT NULL, 
	start_us BIGINT, 
	expected_end_us BIGINT, 
	end_us BIGINT, 
	allocation JSON NOT NULL, 
	open_nodes JSON NOT NULL, 
	stop_cause VARCHAR, 
	cause VARCHAR, 
	exit_code INTEGER, 
	signal INTEGER, 
	cpu_s FLOAT, 
	max_rss_mib INTEGER, 
	message VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "job" VALUES(1,NULL,NULL,1,'root','fine',0,'COMPLETED',1795293723653780,1795293723653780,9007199254740992,1,'[[1,1,0,false,null]]','{"name":"fine","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,0,1795293723654038,10802492978395030,1795293723666098,'[["e1",1,0]]','[]',NULL,'exit',0,NULL,0.001228,12,'');
INSERT INTO "job" VALUES(2,NULL,NULL,2,'root','failed',0,'FAILED',1795293723661905,1795293723661905,9007199254740992,1,'[[1,1,0,false,null]]','{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',1,9007199254740992,0,0,0,1795293723662101,10802492978403093,1795293723672194,'[["e1",1,0]]','[]',NULL,'exit',3,NULL,0.000961,12,'');
INSERT INTO "job" VALUES(3,NULL,NULL,3,'root','shot',0,'FAILED',1795293723667664,1795293723667664,9007199254740992,1,'[[1,1,0,false,null]]','{"name":"shot","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,0,1795293723667799,10802492978408791,1795293723686382,'[["e1",1,0]]','[]',NULL,'exit',NULL,9,0.000959,12,'');
INSERT INTO "job" VALUES(4,NULL,NULL,4,'root','slow',0,'TIMEOUT',1795293723672395,1795293723672395,1000000,1,'[[1,1,0,false,null]]','{"name":"slow","workdir":"/","stdout":"/dev/null"}',1,61003914,1,1,0,1795293723672587,1795293784676501,1795293724696089,'[["e1",1,0]]','[]',NULL,'limit',NULL,15,0.001883,12,'');
INSERT INTO "job" VALUES(5,NULL,NULL,5,'ann','timer',0,'COMPLETED',1795293723680924,1795293723680924,9007199254740992,1,'[[1,1,0,false,"emulated"]]','{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',1,9007199254740992,0,0,0,1795293723681079,10802492978422071,1795293723781079,'[["e1",1,0]]','[]',NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,NULL,NULL,6,'ann','timer',0,'COMPLETED',1795293723692699,1795293723692699,9007199254740992,1,'[[3,1,0,false,"emulated"]]','{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',1,9007199254740992,0,0,0,1795293723696777,10802492978437769,1795293723896777,'[["e2",3,0]]','[]',NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,NULL,NULL,7,'root','cancelled',0,'CANCELLED',1795293724710059,1795293724710059,9007199254740992,1,'[[1,1,0,false,"emulated"]]','{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,0,1795293724710228,1795293725710228,1795293724770383,'[["e1",1,0]]','[]','user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,NULL,NULL,8,'root','long',1,'RUNNING',1795293724775865,1795293724775865,9007199254740992,1,'[[3,1,0,false,"emulated"]]','{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,0,1795293724776051,1795293725776051,NULL,'[["e1",3,0]]','["e1"]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,NULL,NULL,9,'root','wide',1,'RUNNING',1795293724779898,1795293724779898,9007199254740992,1,'[[2,1,0,true,"emulated"]]','{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,0,1795293724780062,1795293725780062,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,NULL,NULL,10,'root','never',0,'CANCELLED',1795293724836648,1795293724836648,9007199254740992,1,'[[8,1,0,false,"emulated"]]','{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,0,NULL,NULL,1795293724839017,'[]','[]',NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,NULL,NULL,11,'root','waits',1,'PENDING',1795293724841012,1795293724841012,9007199254740992,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,0,NULL,NULL,NULL,'[]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,NULL,NULL,12,'root','waits',1,'PENDING',1795293724841054,1795293724841054,9007199254740992,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,0,NULL,NULL,NULL,'[]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,NULL,NULL,13,'root','waits-too',1,'PENDING',1795293724843032,1795293724843032,60000000,1,'[[8,1,0,false,null]]','{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',0,1000000,0,0,0,NULL,NULL,NULL,'[]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('batch','27');
INSERT INTO "meta" VALUES('clock_us','1795293724845147');
INSERT INTO "meta" VALUES('clock_scaled','0');
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
);
INSERT INTO "submission" VALUES('root:907e1ef205070efbc235157141b1a389','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:398f4c2ba45cbe44f6e4cd0b14e10168','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:da27e75ef0df1753c1a462aaf2ef1642','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:9a43397684086ea53b3bd54940c13e07','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:43c09211027ced353ed5e143520ace3d','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:ac2874f14ddf725cef28bac527bc534f','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:439815b4adf4b372a4fd4551a632c1cb','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:b88d6c02ff79443e28133885618d16ef','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:8d996421b6d5635a1b4200088bd13682','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:66b0d530c2752139d53493453f22155e','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
INSERT INTO "submission" VALUES('root:9b7d18ff0471e4fab6a95a79b16f00a6','fc9af16087fa91903726cfcc33a7ec8c',13,1);
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_live ON job (id) WHERE live;
COMMIT;
