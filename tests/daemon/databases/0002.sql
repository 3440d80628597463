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
)
 WITHOUT ROWID

;
INSERT INTO "attempt" VALUES(1,1,1795293734828536,1795293734892325,'[["e1",1,0]]','exit',0,NULL,0.000998,12,'');
INSERT INTO "attempt" VALUES(2,1,1795293734838239,1795293734893428,'[["e1",1,0]]','exit',3,NULL,0.000974,12,'');
INSERT INTO "attempt" VALUES(3,1,1795293734853084,1795293734896484,'[["e1",1,0]]','exit',NULL,9,0.000848,12,'');
INSERT INTO "attempt" VALUES(4,1,1795293734882135,1795293735929389,'[["e1",1,0]]','limit',NULL,15,0.001683,12,'');
INSERT INTO "attempt" VALUES(5,1,1795293734910756,1795293735010756,'[["e1",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795293734925103,1795293735125103,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795293735959627,1795293736030217,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795293736056810,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795293736060615,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "event" VALUES(2,2,1795293734788702,'node-up',NULL,1,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(3,2,1795293734788702,'node-up',NULL,1,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(4,3,1795293734828536,'submit',1,1,'{"id":1,"seq":1,"user":"root","name":"fine","submit_us":1795293734828333,"eligible_us":1795293734828333,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(5,3,1795293734828536,'start',1,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734828536,"expected_end_us":10802492989569528,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(6,4,1795293734838239,'submit',2,1,'{"id":2,"seq":2,"user":"root","name":"failed","submit_us":1795293734838080,"eligible_us":1795293734838080,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(7,4,1795293734838239,'start',2,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734838239,"expected_end_us":10802492989579231,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(8,5,1795293734853084,'submit',3,1,'{"id":3,"seq":3,"user":"root","name":"shot","submit_us":1795293734852924,"eligible_us":1795293734852924,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(9,5,1795293734853084,'start',3,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734853084,"expected_end_us":10802492989594076,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(10,6,1795293734882135,'submit',4,1,'{"id":4,"seq":4,"user":"root","name":"slow","submit_us":1795293734881944,"eligible_us":1795293734881944,"estimate_us":1000000,"requeue":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(11,6,1795293734882135,'start',4,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734882135,"expected_end_us":1795293735882135,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(12,7,1795293734896412,'exited',1,1,'{"attempt":1,"node":"e1","end_us":1795293734892325,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.000998,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(13,7,1795293734896412,'exited',2,1,'{"attempt":1,"node":"e1","end_us":1795293734893428,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.000974,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(14,7,1795293734896412,'launched',1,1,'{"attempt":1}');
INSERT INTO "event" VALUES(15,7,1795293734896412,'launched',2,1,'{"attempt":1}');
INSERT INTO "event" VALUES(16,7,1795293734896412,'end',1,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734828536,"expected_end_us":10802492989569528,"end_us":1795293734892325,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.000998,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(17,7,1795293734896412,'end',2,1,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734838239,"expected_end_us":10802492989579231,"end_us":1795293734893428,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.000974,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(18,8,1795293734910756,'exited',3,1,'{"attempt":1,"node":"e1","end_us":1795293734896484,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.000848,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(19,8,1795293734910756,'launched',3,1,'{"attempt":1}');
INSERT INTO "event" VALUES(20,8,1795293734910756,'launched',4,1,'{"attempt":1}');
INSERT INTO "event" VALUES(21,8,1795293734910756,'submit',5,1,'{"id":5,"seq":5,"user":"ann","name":"timer","submit_us":1795293734910375,"eligible_us":1795293734910375,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(22,8,1795293734910756,'end',3,1,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734853084,"expected_end_us":10802492989594076,"end_us":1795293734896484,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.000848,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(23,8,1795293734910756,'start',5,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734910756,"expected_end_us":10802492989651748,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(24,9,1795293734925103,'submit',6,1,'{"id":6,"seq":6,"user":"ann","name":"timer","submit_us":1795293734924956,"eligible_us":1795293734924956,"estimate_us":9007199254740992,"requeue":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(25,9,1795293734925103,'start',6,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734925103,"expected_end_us":10802492989666095,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(26,10,1795293734931378,'launched',5,1,'{"attempt":1}');
INSERT INTO "event" VALUES(27,11,1795293734949804,'launched',6,1,'{"attempt":1}');
INSERT INTO "event" VALUES(28,12,1795293735011346,'exited',5,1,'{"attempt":1,"node":"e1","end_us":1795293735010756,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(29,12,1795293735011346,'end',5,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734910756,"expected_end_us":10802492989651748,"end_us":1795293735010756,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(30,13,1795293735128399,'exited',6,1,'{"attempt":1,"node":"e2","end_us":1795293735125103,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(31,13,1795293735128399,'end',6,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293734925103,"expected_end_us":10802492989666095,"end_us":1795293735125103,"allocation":[["e2",3,0]],"open_nodes":[],"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(32,14,1795293735884397,'correct',4,1,'{"job":{"state":"RUNNING","live":true,"attempt":1,"prediction_us":61002262,"corrections":1,"overruns":1,"backfilled":false,"start_us":1795293734882135,"expected_end_us":1795293795884397,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795293735929809,'exited',4,1,'{"attempt":1,"node":"e1","end_us":1795293735929389,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.001683,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(34,15,1795293735929809,'end',4,1,'{"job":{"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61002262,"corrections":1,"overruns":1,"backfilled":false,"start_us":1795293734882135,"expected_end_us":1795293795884397,"end_us":1795293735929389,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.001683,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(35,16,1795293735959627,'submit',7,1,'{"id":7,"seq":7,"user":"root","name":"cancelled","submit_us":1795293735959449,"eligible_us":1795293735959449,"estimate_us":9007199254740992,"requeue":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(36,16,1795293735959627,'start',7,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293735959627,"expected_end_us":1795293736959627,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(37,17,1795293735992172,'launched',7,1,'{"attempt":1}');
INSERT INTO "event" VALUES(38,18,1795293736028238,'cancel',7,1,'{}');
INSERT INTO "event" VALUES(39,18,1795293736028238,'stop',7,1,'{"job":{"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293735959627,"expected_end_us":1795293736959627,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(40,19,1795293736030266,'exited',7,1,'{"attempt":1,"node":"e1","end_us":1795293736030217,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(41,19,1795293736030266,'end',7,1,'{"job":{"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293735959627,"expected_end_us":1795293736959627,"end_us":1795293736030217,"allocation":[["e1",1,0]],"open_nodes":[],"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(42,20,1795293736056810,'submit',8,1,'{"id":8,"seq":8,"user":"root","name":"long","submit_us":1795293736056666,"eligible_us":1795293736056666,"estimate_us":9007199254740992,"requeue":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(43,20,1795293736056810,'start',8,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293736056810,"expected_end_us":1795293737056810,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(44,21,1795293736060615,'submit',9,1,'{"id":9,"seq":9,"user":"root","name":"wide","submit_us":1795293736060516,"eligible_us":1795293736060516,"estimate_us":9007199254740992,"requeue":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(45,21,1795293736060615,'start',9,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":1795293736060615,"expected_end_us":1795293737060615,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(46,22,1795293736089673,'launched',8,1,'{"attempt":1}');
INSERT INTO "event" VALUES(47,22,1795293736089673,'launched',9,1,'{"attempt":1}');
INSERT INTO "event" VALUES(48,23,1795293736123171,'submit',10,1,'{"id":10,"seq":10,"user":"root","name":"never","submit_us":1795293736123075,"eligible_us":1795293736123075,"estimate_us":9007199254740992,"requeue":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(49,24,1795293736132021,'cancel',10,1,'{}');
INSERT INTO "event" VALUES(50,24,1795293736132021,'end',10,1,'{"job":{"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"backfilled":false,"start_us":null,"expected_end_us":null,"end_us":1795293736132021,"allocation":[],"open_nodes":[],"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,25,1795293736141832,'submit',11,1,'{"id":11,"seq":11,"user":"root","name":"waits","submit_us":1795293736141715,"eligible_us":1795293736141715,"estimate_us":9007199254740992,"requeue":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(52,25,1795293736141832,'submit',12,1,'{"id":12,"seq":12,"user":"root","name":"waits","submit_us":1795293736141751,"eligible_us":1795293736141751,"estimate_us":9007199254740992,"requeue":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(53,26,1795293736155095,'submit',13,1,'{"id":13,"seq":13,"user":"root","name":"waits-too","submit_us":1795293736154975,"eligible_us":1795293736154975,"estimate_us":60000000,"requeue":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,27,1795293736165515,'drain',NULL,1,'{"name":"e2","drain_reason":"its fan"}');
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
INSERT INTO "job" VALUES(1,NULL,NULL,1,'root','fine',0,'COMPLETED',1795293734828333,1795293734828333,9007199254740992,1,'[[1,1,0,false,null]]','{"name":"fine","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,0,1795293734828536,10802492989569528,1795293734892325,'[["e1",1,0]]','[]',NULL,'exit',0,NULL,0.000998,12,'');
INSERT INTO "job" VALUES(2,NULL,NULL,2,'root','failed',0,'FAILED',1795293734838080,1795293734838080,9007199254740992,1,'[[1,1,0,false,null]]','{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',1,9007199254740992,0,0,0,1795293734838239,10802492989579231,1795293734893428,'[["e1",1,0]]','[]',NULL,'exit',3,NULL,0.000974,12,'');
INSERT INTO "job" VALUES(3,NULL,NULL,3,'root','shot',0,'FAILED',1795293734852924,1795293734852924,9007199254740992,1,'[[1,1,0,false,null]]','{"name":"shot","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,0,1795293734853084,10802492989594076,1795293734896484,'[["e1",1,0]]','[]',NULL,'exit',NULL,9,0.000848,12,'');
INSERT INTO "job" VALUES(4,NULL,NULL,4,'root','slow',0,'TIMEOUT',1795293734881944,1795293734881944,1000000,1,'[[1,1,0,false,null]]','{"name":"slow","workdir":"/","stdout":"/dev/null"}',1,61002262,1,1,0,1795293734882135,1795293795884397,1795293735929389,'[["e1",1,0]]','[]',NULL,'limit',NULL,15,0.001683,12,'');
INSERT INTO "job" VALUES(5,NULL,NULL,5,'ann','timer',0,'COMPLETED',1795293734910375,1795293734910375,9007199254740992,1,'[[1,1,0,false,"emulated"]]','{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',1,9007199254740992,0,0,0,1795293734910756,10802492989651748,1795293735010756,'[["e1",1,0]]','[]',NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,NULL,NULL,6,'ann','timer',0,'COMPLETED',1795293734924956,1795293734924956,9007199254740992,1,'[[3,1,0,false,"emulated"]]','{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',1,9007199254740992,0,0,0,1795293734925103,10802492989666095,1795293735125103,'[["e2",3,0]]','[]',NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,NULL,NULL,7,'root','cancelled',0,'CANCELLED',1795293735959449,1795293735959449,9007199254740992,1,'[[1,1,0,false,"emulated"]]','{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,0,1795293735959627,1795293736959627,1795293736030217,'[["e1",1,0]]','[]','user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,NULL,NULL,8,'root','long',1,'RUNNING',1795293736056666,1795293736056666,9007199254740992,1,'[[3,1,0,false,"emulated"]]','{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,0,1795293736056810,1795293737056810,NULL,'[["e1",3,0]]','["e1"]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,NULL,NULL,9,'root','wide',1,'RUNNING',1795293736060516,1795293736060516,9007199254740992,1,'[[2,1,0,true,"emulated"]]','{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,0,1795293736060615,1795293737060615,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,NULL,NULL,10,'root','never',0,'CANCELLED',1795293736123075,1795293736123075,9007199254740992,1,'[[8,1,0,false,"emulated"]]','{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,0,NULL,NULL,1795293736132021,'[]','[]',NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,NULL,NULL,11,'root','waits',1,'PENDING',1795293736141715,1795293736141715,9007199254740992,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,0,NULL,NULL,NULL,'[]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,NULL,NULL,12,'root','waits',1,'PENDING',1795293736141751,1795293736141751,9007199254740992,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,0,NULL,NULL,NULL,'[]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,NULL,NULL,13,'root','waits-too',1,'PENDING',1795293736154975,1795293736154975,60000000,1,'[[8,1,0,false,null]]','{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',0,1000000,0,0,0,NULL,NULL,NULL,'[]','[]',NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','27');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795293736165515');
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
INSERT INTO "submission" VALUES('root:3d305ee60874831aba78219235aec68f','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:5354cfc1bb8853c0364ecfe789dfb549','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:591d169acbe96c5595ead2f3852f1a98','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:626628b991e052bee676046aa57cc44f','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:63fefc3b429309c60b036621e3a30510','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:6e62a3be1c08a9d88a8f644bdb894b09','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:7e5a001369c94bf244a0bf9be14188a8','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:9472905e331d0df6c80bb9b838e7b2a7','fc9af16087fa91903726cfcc33a7ec8c',13,1);
INSERT INTO "submission" VALUES('root:bc6016c1294a7451c49eae51c49bf60f','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:d14bea2a4147b92a4bdc5524dcf1b111','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:e852789b32514d3e27e6f044a2e82ba4','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_user ON job (user, seq);
COMMIT;
