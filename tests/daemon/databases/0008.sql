PRAGMA application_id=1919775588;
PRAGMA user_version=8;
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
INSERT INTO "attempt" VALUES(1,1,1795296066981310,1795296067113131,'[["e1",1,0]]','exit',0,NULL,0.001506,8,'');
INSERT INTO "attempt" VALUES(2,1,1795296066997769,1795296067154523,'[["e1",1,0]]','exit',3,NULL,0.001536,8,'');
INSERT INTO "attempt" VALUES(3,1,1795296067020081,1795296067197123,'[["e1",1,0]]','exit',NULL,9,0.001524,8,'');
INSERT INTO "attempt" VALUES(4,1,1795296067023346,1795296068263303,'[["e1",1,0]]','limit',NULL,15,0.00233,8,'');
INSERT INTO "attempt" VALUES(5,1,1795296067030298,1795296067130298,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795296067059435,1795296067259435,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795296068333174,1795296068416932,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795296068434025,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795296068453355,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795296066981222,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795296066997703,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795296067009804,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795296067023282,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795296067030216,'root','admin','socket, uid 0','submit','job 5','done');
INSERT INTO "audit" VALUES(6,1795296067059366,'root','admin','socket, uid 0','submit','job 6','done');
INSERT INTO "audit" VALUES(7,1795296068333120,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795296068408782,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795296068433972,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795296068453315,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795296068525119,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795296068533935,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795296068544569,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795296068548646,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795296068565434,'root','admin','socket, uid 0','drain','node e2','done');
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
INSERT INTO "event" VALUES(2,2,1795296064976509,'woken',NULL,3,'{}');
INSERT INTO "event" VALUES(3,3,1795296066967588,'node-up',NULL,3,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(4,3,1795296066967588,'node-up',NULL,3,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(5,4,1795296066981310,'submit',1,3,'{"id":1,"seq":1,"user":"root","name":"fine","submit_us":1795296066981072,"eligible_us":1795296066981072,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795296066981310,'start',1,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795296066981310,"reserved_rank":0,"reserved_us":1795296066981310,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296066981310,"expected_end_us":10802495321722302,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795296066997769,'submit',2,3,'{"id":2,"seq":2,"user":"root","name":"failed","submit_us":1795296066997587,"eligible_us":1795296066997587,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795296066997769,'start',2,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795296066997769,"reserved_rank":1,"reserved_us":1795296066997769,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296066997769,"expected_end_us":10802495321738761,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795296067020081,'submit',3,3,'{"id":3,"seq":3,"user":"root","name":"shot","submit_us":1795296067009689,"eligible_us":1795296067009689,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795296067020081,'start',3,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795296067020081,"reserved_rank":2,"reserved_us":1795296067020081,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296067020081,"expected_end_us":10802495321761073,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795296067023346,'submit',4,3,'{"id":4,"seq":4,"user":"root","name":"slow","submit_us":1795296067023158,"eligible_us":1795296067023158,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795296067023346,'start',4,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795296067023346,"reserved_rank":3,"reserved_us":1795296067023346,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296067023346,"expected_end_us":1795296068023346,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795296067030298,'submit',5,3,'{"id":5,"seq":5,"user":"ann","name":"timer","submit_us":1795296067029522,"eligible_us":1795296067029522,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795296067030298,'start',5,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795296067030298,"reserved_rank":4,"reserved_us":1795296067030298,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296067030298,"expected_end_us":10802495321771290,"end_us":null,"allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795296067059435,'submit',6,3,'{"id":6,"seq":6,"user":"ann","name":"timer","submit_us":1795296067059239,"eligible_us":1795296067059239,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795296067059435,'start',6,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795296067059435,"reserved_rank":5,"reserved_us":1795296067059435,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296067059435,"expected_end_us":10802495321800427,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795296067102398,'launched',5,3,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795296067102398,'launched',6,3,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795296067116462,'exited',1,3,'{"attempt":1,"node":"e1","end_us":1795296067113131,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001506,"max_rss_mib":8,"message":""}');
INSERT INTO "event" VALUES(20,11,1795296067116462,'launched',1,3,'{"attempt":1}');
INSERT INTO "event" VALUES(21,11,1795296067116462,'end',1,3,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795296066981310,"reserved_rank":0,"reserved_us":1795296066981310,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296066981310,"expected_end_us":10802495321722302,"end_us":1795296067113131,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001506,"max_rss_mib":8,"message":""}}');
INSERT INTO "event" VALUES(22,12,1795296067146626,'exited',5,3,'{"attempt":1,"node":"e2","end_us":1795296067130298,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(23,12,1795296067146626,'end',5,3,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795296067030298,"reserved_rank":4,"reserved_us":1795296067030298,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296067030298,"expected_end_us":10802495321771290,"end_us":1795296067130298,"allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(24,13,1795296067161632,'exited',2,3,'{"attempt":1,"node":"e1","end_us":1795296067154523,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.001536,"max_rss_mib":8,"message":""}');
INSERT INTO "event" VALUES(25,13,1795296067161632,'launched',2,3,'{"attempt":1}');
INSERT INTO "event" VALUES(26,13,1795296067161632,'end',2,3,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795296066997769,"reserved_rank":1,"reserved_us":1795296066997769,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296066997769,"expected_end_us":10802495321738761,"end_us":1795296067154523,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.001536,"max_rss_mib":8,"message":""}}');
INSERT INTO "event" VALUES(27,14,1795296067197662,'exited',3,3,'{"attempt":1,"node":"e1","end_us":1795296067197123,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.001524,"max_rss_mib":8,"message":""}');
INSERT INTO "event" VALUES(28,14,1795296067197662,'launched',3,3,'{"attempt":1}');
INSERT INTO "event" VALUES(29,14,1795296067197662,'end',3,3,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795296067020081,"reserved_rank":2,"reserved_us":1795296067020081,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296067020081,"expected_end_us":10802495321761073,"end_us":1795296067197123,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.001524,"max_rss_mib":8,"message":""}}');
INSERT INTO "event" VALUES(30,15,1795296067219627,'launched',4,3,'{"attempt":1}');
INSERT INTO "event" VALUES(31,16,1795296067260001,'exited',6,3,'{"attempt":1,"node":"e2","end_us":1795296067259435,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,16,1795296067260001,'end',6,3,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795296067059435,"reserved_rank":5,"reserved_us":1795296067059435,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296067059435,"expected_end_us":10802495321800427,"end_us":1795296067259435,"allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,17,1795296068028444,'correct',4,3,'{"job":{"state":"RUNNING","live":true,"attempt":1,"prediction_us":61005098,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795296067023346,"reserved_rank":3,"reserved_us":1795296067023346,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296067023346,"expected_end_us":1795296128028444,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,18,1795296068272973,'exited',4,3,'{"attempt":1,"node":"e1","end_us":1795296068263303,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.00233,"max_rss_mib":8,"message":""}');
INSERT INTO "event" VALUES(35,18,1795296068272973,'end',4,3,'{"job":{"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61005098,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795296067023346,"reserved_rank":3,"reserved_us":1795296067023346,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296067023346,"expected_end_us":1795296128028444,"end_us":1795296068263303,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.00233,"max_rss_mib":8,"message":""}}');
INSERT INTO "event" VALUES(36,19,1795296068333174,'submit',7,3,'{"id":7,"seq":7,"user":"root","name":"cancelled","submit_us":1795296068333037,"eligible_us":1795296068333037,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,19,1795296068333174,'start',7,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795296068333174,"reserved_rank":6,"reserved_us":1795296068333174,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296068333174,"expected_end_us":1795296069333174,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,20,1795296068377009,'launched',7,3,'{"attempt":1}');
INSERT INTO "event" VALUES(39,21,1795296068408833,'cancel',7,3,'{}');
INSERT INTO "event" VALUES(40,21,1795296068408833,'stop',7,3,'{"job":{"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795296068333174,"reserved_rank":6,"reserved_us":1795296068333174,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296068333174,"expected_end_us":1795296069333174,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,22,1795296068417056,'exited',7,3,'{"attempt":1,"node":"e1","end_us":1795296068416932,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,22,1795296068417056,'end',7,3,'{"job":{"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795296068333174,"reserved_rank":6,"reserved_us":1795296068333174,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296068333174,"expected_end_us":1795296069333174,"end_us":1795296068416932,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,23,1795296068434025,'submit',8,3,'{"id":8,"seq":8,"user":"root","name":"long","submit_us":1795296068433863,"eligible_us":1795296068433863,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,23,1795296068434025,'start',8,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795296068434025,"reserved_rank":7,"reserved_us":1795296068434025,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296068434025,"expected_end_us":1795296069434025,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,24,1795296068453355,'submit',9,3,'{"id":9,"seq":9,"user":"root","name":"wide","submit_us":1795296068453236,"eligible_us":1795296068453236,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,24,1795296068453355,'start',9,3,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795296068453355,"reserved_rank":8,"reserved_us":1795296068453355,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795296068453355,"expected_end_us":1795296069453355,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,25,1795296068489972,'launched',8,3,'{"attempt":1}');
INSERT INTO "event" VALUES(48,25,1795296068489972,'launched',9,3,'{"attempt":1}');
INSERT INTO "event" VALUES(49,26,1795296068525168,'submit',10,3,'{"id":10,"seq":10,"user":"root","name":"never","submit_us":1795296068525042,"eligible_us":1795296068525042,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,26,1795296068525168,'promise',10,3,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795296068525168,"reserved_rank":9,"reserved_us":1795296069453355,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,27,1795296068533977,'cancel',10,3,'{}');
INSERT INTO "event" VALUES(52,27,1795296068533977,'end',10,3,'{"job":{"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795296068525168,"reserved_rank":9,"reserved_us":1795296069453355,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795296068533977,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,28,1795296068544616,'submit',11,3,'{"id":11,"seq":11,"user":"root","name":"waits","submit_us":1795296068544482,"eligible_us":1795296068544482,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,28,1795296068544616,'submit',12,3,'{"id":12,"seq":12,"user":"root","name":"waits","submit_us":1795296068544482,"eligible_us":1795296068544482,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,28,1795296068544616,'promise',11,3,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795296068544616,"reserved_rank":9,"reserved_us":1795296069453355,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,29,1795296068548683,'submit',13,3,'{"id":13,"seq":13,"user":"root","name":"waits-too","submit_us":1795296068548570,"eligible_us":1795296068548570,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,30,1795296068565504,'drain',NULL,3,'{"name":"e2","drain_reason":"its fan"}');
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
INSERT INTO "job" VALUES(1,NULL,NULL,1,'root','fine',0,'COMPLETED',1795296066981072,1795296066981072,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"fine","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,0,0,NULL,1795296066981310,0,1795296066981310,NULL,0,NULL,0,1795296066981310,10802495321722302,1795296067113131,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.001506,8,'');
INSERT INTO "job" VALUES(2,NULL,NULL,2,'root','failed',0,'FAILED',1795296066997587,1795296066997587,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',1,9007199254740992,0,0,1,0,NULL,1795296066997769,1,1795296066997769,NULL,0,NULL,0,1795296066997769,10802495321738761,1795296067154523,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.001536,8,'');
INSERT INTO "job" VALUES(3,NULL,NULL,3,'root','shot',0,'FAILED',1795296067009689,1795296067009689,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"shot","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,2,0,NULL,1795296067020081,2,1795296067020081,NULL,0,NULL,0,1795296067020081,10802495321761073,1795296067197123,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.001524,8,'');
INSERT INTO "job" VALUES(4,NULL,NULL,4,'root','slow',0,'TIMEOUT',1795296067023158,1795296067023158,1000000,1,1,'[[1,1,0,false,null]]','{"name":"slow","workdir":"/","stdout":"/dev/null"}',1,61005098,1,1,3,0,NULL,1795296067023346,3,1795296067023346,NULL,0,NULL,0,1795296067023346,1795296128028444,1795296068263303,'[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.00233,8,'');
INSERT INTO "job" VALUES(5,NULL,NULL,5,'ann','timer',0,'COMPLETED',1795296067029522,1795296067029522,9007199254740992,1,1,'[[1,1,0,false,"emulated"]]','{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',1,9007199254740992,0,0,4,0,NULL,1795296067030298,4,1795296067030298,NULL,0,NULL,0,1795296067030298,10802495321771290,1795296067130298,'[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,NULL,NULL,6,'ann','timer',0,'COMPLETED',1795296067059239,1795296067059239,9007199254740992,1,1,'[[3,1,0,false,"emulated"]]','{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',1,9007199254740992,0,0,5,0,NULL,1795296067059435,5,1795296067059435,NULL,0,NULL,0,1795296067059435,10802495321800427,1795296067259435,'[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,NULL,NULL,7,'root','cancelled',0,'CANCELLED',1795296068333037,1795296068333037,9007199254740992,1,1,'[[1,1,0,false,"emulated"]]','{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,6,0,NULL,1795296068333174,6,1795296068333174,NULL,0,NULL,0,1795296068333174,1795296069333174,1795296068416932,'[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,NULL,NULL,8,'root','long',1,'RUNNING',1795296068433863,1795296068433863,9007199254740992,1,1,'[[3,1,0,false,"emulated"]]','{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,7,0,NULL,1795296068434025,7,1795296068434025,NULL,0,NULL,0,1795296068434025,1795296069434025,NULL,'[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,NULL,NULL,9,'root','wide',1,'RUNNING',1795296068453236,1795296068453236,9007199254740992,1,1,'[[2,1,0,true,"emulated"]]','{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,8,0,NULL,1795296068453355,8,1795296068453355,NULL,0,NULL,0,1795296068453355,1795296069453355,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,NULL,NULL,10,'root','never',0,'CANCELLED',1795296068525042,1795296068525042,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,1795296068525168,9,1795296069453355,NULL,0,NULL,0,NULL,NULL,1795296068533977,'[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,NULL,NULL,11,'root','waits',1,'PENDING',1795296068544482,1795296068544482,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,1795296068544616,9,1795296069453355,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,NULL,NULL,12,'root','waits',1,'PENDING',1795296068544482,1795296068544482,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,NULL,NULL,13,'root','waits-too',1,'PENDING',1795296068548570,1795296068548570,60000000,1,1,'[[8,1,0,false,null]]','{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','30');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795296068565504');
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
INSERT INTO "submission" VALUES('root:1a85eb39314e6fa8205eb5ce5e3e045a','fc9af16087fa91903726cfcc33a7ec8c',13,1);
INSERT INTO "submission" VALUES('root:301513d7828f9aeb4c08d6b7ba95a447','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:50ce5168bc8ce8dd42ce336db73a72b3','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:54063d6ec4b4552d7756a72a34767983','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:5b9388f2ee579c54c667831cf51383e4','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:5d0081c4e4ae20e8bdaae3ec9647add8','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:ac7d9afd05b1b90e85668cd698dbb371','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:b16a9ccb796d6e6099287764e9c013f6','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:c57ab3277dc7e1c923e31262b6d03978','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:d54bca0a8adac47d4998cc3e0fd77260','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:de5bad85a6e962d9f5020aa6ac5ca2f3','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
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
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_user ON job (user, seq);
COMMIT;
