PRAGMA application_id=1919775588;
PRAGMA user_version=11;
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
INSERT INTO "attempt" VALUES(1,1,1795490693425863,1795490693462036,'[["e1",1,0]]','exit',0,NULL,0.002096,10,'');
INSERT INTO "attempt" VALUES(2,1,1795490693472638,1795490693484400,'[["e1",1,0]]','exit',3,NULL,0.00237,10,'');
INSERT INTO "attempt" VALUES(3,1,1795490693492589,1795490693504922,'[["e1",1,0]]','exit',NULL,9,0.002324,10,'');
INSERT INTO "attempt" VALUES(4,1,1795490693508097,1795490694517670,'[["e1",1,0]]','limit',NULL,15,0.003535,10,'');
INSERT INTO "attempt" VALUES(5,1,1795490693522550,1795490693622550,'[["e1",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795490693645239,1795490693845239,'[["e1",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795490694585056,1795490694653153,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795490694673845,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795490694681955,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795490693425725,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795490693467111,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795490693486351,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795490693506727,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795490693522399,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795490693645157,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795490694584952,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795490694648890,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795490694673700,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795490694681882,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795490694761374,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795490694778629,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795490694786165,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795490694805681,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795490694813259,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795490694829960,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(2,2,1795490692929181,'woken',NULL,1,'{}');
INSERT INTO "event" VALUES(3,3,1795490693387869,'node-up',NULL,1,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795490693387869,'node-up',NULL,1,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795490693425863,'submit',1,1,'{"id":1,"seq":1,"user":"root","name":"fine","submit_us":1795490693425541,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795490693425863,'start',1,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795490693425863,"reserved_rank":0,"reserved_us":1795490693425863,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693425863,"expected_end_us":10802689948166855,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795490693464475,'exited',1,1,'{"attempt":1,"node":"e1","end_us":1795490693462036,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.002096,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(8,5,1795490693464475,'launched',1,1,'{"attempt":1}');
INSERT INTO "event" VALUES(9,5,1795490693464475,'end',1,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795490693425863,"reserved_rank":0,"reserved_us":1795490693425863,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693425863,"expected_end_us":10802689948166855,"end_us":1795490693462036,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.002096,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(10,6,1795490693472638,'submit',2,1,'{"id":2,"seq":2,"user":"root","name":"failed","submit_us":1795490693465682,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(11,6,1795490693472638,'start',2,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795490693472638,"reserved_rank":1,"reserved_us":1795490693472638,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693472638,"expected_end_us":10802689948213630,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(12,7,1795490693485454,'exited',2,1,'{"attempt":1,"node":"e1","end_us":1795490693484400,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.00237,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(13,7,1795490693485454,'launched',2,1,'{"attempt":1}');
INSERT INTO "event" VALUES(14,7,1795490693485454,'end',2,1,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795490693472638,"reserved_rank":1,"reserved_us":1795490693472638,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693472638,"expected_end_us":10802689948213630,"end_us":1795490693484400,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.00237,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(15,8,1795490693492589,'submit',3,1,'{"id":3,"seq":3,"user":"root","name":"shot","submit_us":1795490693486169,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(16,8,1795490693492589,'start',3,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795490693492589,"reserved_rank":2,"reserved_us":1795490693492589,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693492589,"expected_end_us":1795490694492589,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,9,1795490693505964,'exited',3,1,'{"attempt":1,"node":"e1","end_us":1795490693504922,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.002324,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(18,9,1795490693505964,'launched',3,1,'{"attempt":1}');
INSERT INTO "event" VALUES(19,9,1795490693505964,'end',3,1,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795490693492589,"reserved_rank":2,"reserved_us":1795490693492589,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693492589,"expected_end_us":1795490694492589,"end_us":1795490693504922,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.002324,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(20,10,1795490693508097,'submit',4,1,'{"id":4,"seq":4,"user":"root","name":"slow","submit_us":1795490693506542,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(21,10,1795490693508097,'start',4,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795490693508097,"reserved_rank":3,"reserved_us":1795490693508097,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693508097,"expected_end_us":1795490694508097,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(22,11,1795490693522550,'submit',5,1,'{"id":5,"seq":5,"user":"ann","name":"timer","submit_us":1795490693521508,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(23,11,1795490693522550,'start',5,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795490693522550,"reserved_rank":4,"reserved_us":1795490693522550,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693522550,"expected_end_us":10802689948263542,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(24,12,1795490693636203,'launched',4,1,'{"attempt":1}');
INSERT INTO "event" VALUES(25,13,1795490693637951,'exited',5,1,'{"attempt":1,"node":"e1","end_us":1795490693622550,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(26,13,1795490693637951,'launched',5,1,'{"attempt":1}');
INSERT INTO "event" VALUES(27,13,1795490693637951,'end',5,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795490693522550,"reserved_rank":4,"reserved_us":1795490693522550,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693522550,"expected_end_us":10802689948263542,"end_us":1795490693622550,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(28,14,1795490693645239,'submit',6,1,'{"id":6,"seq":6,"user":"ann","name":"timer","submit_us":1795490693644996,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(29,14,1795490693645239,'start',6,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795490693645239,"reserved_rank":5,"reserved_us":1795490693645239,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693645239,"expected_end_us":10802689948386231,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(30,15,1795490693656167,'launched',6,1,'{"attempt":1}');
INSERT INTO "event" VALUES(31,16,1795490693848483,'exited',6,1,'{"attempt":1,"node":"e1","end_us":1795490693845239,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,16,1795490693848483,'end',6,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795490693645239,"reserved_rank":5,"reserved_us":1795490693645239,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693645239,"expected_end_us":10802689948386231,"end_us":1795490693845239,"allocation":[["e1",3,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,17,1795490694512293,'correct',4,1,'{"job":{"state":"RUNNING","live":true,"attempt":1,"prediction_us":61004196,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795490693508097,"reserved_rank":3,"reserved_us":1795490693508097,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693508097,"expected_end_us":1795490754512293,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,18,1795490694518283,'exited',4,1,'{"attempt":1,"node":"e1","end_us":1795490694517670,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.003535,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(35,18,1795490694518283,'end',4,1,'{"job":{"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61004196,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795490693508097,"reserved_rank":3,"reserved_us":1795490693508097,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490693508097,"expected_end_us":1795490754512293,"end_us":1795490694517670,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.003535,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(36,19,1795490694585056,'submit',7,1,'{"id":7,"seq":7,"user":"root","name":"cancelled","submit_us":1795490694584797,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,19,1795490694585056,'start',7,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795490694585056,"reserved_rank":6,"reserved_us":1795490694585056,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490694585056,"expected_end_us":1795490695585056,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,20,1795490694627741,'launched',7,1,'{"attempt":1}');
INSERT INTO "event" VALUES(39,21,1795490694648948,'cancel',7,1,'{}');
INSERT INTO "event" VALUES(40,21,1795490694648948,'stop',7,1,'{"job":{"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795490694585056,"reserved_rank":6,"reserved_us":1795490694585056,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490694585056,"expected_end_us":1795490695585056,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,22,1795490694653227,'exited',7,1,'{"attempt":1,"node":"e1","end_us":1795490694653153,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,22,1795490694653227,'end',7,1,'{"job":{"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795490694585056,"reserved_rank":6,"reserved_us":1795490694585056,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490694585056,"expected_end_us":1795490695585056,"end_us":1795490694653153,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,23,1795490694673845,'submit',8,1,'{"id":8,"seq":8,"user":"root","name":"long","submit_us":1795490694673491,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,23,1795490694673845,'start',8,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795490694673845,"reserved_rank":7,"reserved_us":1795490694673845,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490694673845,"expected_end_us":1795490695673845,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,24,1795490694681955,'submit',9,1,'{"id":9,"seq":9,"user":"root","name":"wide","submit_us":1795490694681772,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,24,1795490694681955,'start',9,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795490694681955,"reserved_rank":8,"reserved_us":1795490694681955,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795490694681955,"expected_end_us":1795490695681955,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,25,1795490694709163,'launched',8,1,'{"attempt":1}');
INSERT INTO "event" VALUES(48,26,1795490694740338,'launched',9,1,'{"attempt":1}');
INSERT INTO "event" VALUES(49,27,1795490694761512,'submit',10,1,'{"id":10,"seq":10,"user":"root","name":"never","submit_us":1795490694761172,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,27,1795490694761512,'promise',10,1,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795490694761512,"reserved_rank":9,"reserved_us":1795490695681955,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,28,1795490694778716,'cancel',10,1,'{}');
INSERT INTO "event" VALUES(52,28,1795490694778716,'end',10,1,'{"job":{"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795490694761512,"reserved_rank":9,"reserved_us":1795490695681955,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795490694778716,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,29,1795490694786280,'submit',11,1,'{"id":11,"seq":11,"user":"root","name":"waits","submit_us":1795490694785981,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,29,1795490694786280,'submit',12,1,'{"id":12,"seq":12,"user":"root","name":"waits","submit_us":1795490694785981,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,29,1795490694786280,'promise',11,1,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795490694786280,"reserved_rank":9,"reserved_us":1795490695681955,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,30,1795490694805760,'submit',13,1,'{"id":13,"seq":13,"user":"root","name":"waits-too","submit_us":1795490694805521,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,31,1795490694813330,'drain',NULL,1,'{"name":"e2","drain_reason":"its fan"}');
CREATE TABLE job (
	id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	user VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	submit_us BIGINT NOT NULL, 
	estimate_us BIGINT NOT NULL, 
	request JSON NOT NULL, 
	requeue BOOLEAN NOT NULL, 
	restartable BOOLEAN NOT NULL, 
	details JSON NOT NULL, 
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
INSERT INTO "job" VALUES(1,1,'root','fine',1795490693425541,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795490693425863,0,1795490693425863,NULL,0,NULL,0,1795490693425863,10802689948166855,1795490693462036,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.002096,10,'');
INSERT INTO "job" VALUES(2,2,'root','failed',1795490693465682,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795490693472638,1,1795490693472638,NULL,0,NULL,0,1795490693472638,10802689948213630,1795490693484400,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.00237,10,'');
INSERT INTO "job" VALUES(3,3,'root','shot',1795490693486169,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}','FAILED',0,1,1000000,0,0,2,0,NULL,1795490693492589,2,1795490693492589,NULL,0,NULL,0,1795490693492589,1795490694492589,1795490693504922,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.002324,10,'');
INSERT INTO "job" VALUES(4,4,'root','slow',1795490693506542,1000000,'[[1,1,0,false,null]]',1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}','TIMEOUT',0,1,61004196,1,1,3,0,NULL,1795490693508097,3,1795490693508097,NULL,0,NULL,0,1795490693508097,1795490754512293,1795490694517670,'[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.003535,10,'');
INSERT INTO "job" VALUES(5,5,'ann','timer',1795490693521508,9007199254740992,'[[1,1,0,false,"emulated"]]',1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795490693522550,4,1795490693522550,NULL,0,NULL,0,1795490693522550,10802689948263542,1795490693622550,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,6,'ann','timer',1795490693644996,9007199254740992,'[[3,1,0,false,"emulated"]]',1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795490693645239,5,1795490693645239,NULL,0,NULL,0,1795490693645239,10802689948386231,1795490693845239,'[["e1",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,7,'root','cancelled',1795490694584797,9007199254740992,'[[1,1,0,false,"emulated"]]',1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795490694585056,6,1795490694585056,NULL,0,NULL,0,1795490694585056,1795490695585056,1795490694653153,'[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,8,'root','long',1795490694673491,9007199254740992,'[[3,1,0,false,"emulated"]]',1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}','RUNNING',1,1,1000000,0,0,7,0,NULL,1795490694673845,7,1795490694673845,NULL,0,NULL,0,1795490694673845,1795490695673845,NULL,'[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,9,'root','wide',1795490694681772,9007199254740992,'[[2,1,0,true,"emulated"]]',1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}','RUNNING',1,1,1000000,0,0,8,0,NULL,1795490694681955,8,1795490694681955,NULL,0,NULL,0,1795490694681955,1795490695681955,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,10,'root','never',1795490694761172,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795490694761512,9,1795490695681955,NULL,0,NULL,0,NULL,NULL,1795490694778716,'[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,11,'root','waits',1795490694785981,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795490694786280,9,1795490695681955,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,12,'root','waits',1795490694785981,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,13,'root','waits-too',1795490694805521,60000000,'[[8,1,0,false,null]]',1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','31');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795490694813330');
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
INSERT INTO "submission" VALUES('root:1bbee137c46fad4c5b380745145fce5a','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:1e47dd912e81a7668a25a8232e09a949','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:20da775177612bdf3a9ba7b454e4ec9d','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:5318a9bd7ffcc2fb9839123ca5afd58b','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:57d44232811831b4b389d031387b9c6f','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:62d2a5720cf428fe21398489df553736','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:967588446f9cbb8ba5d86bfd9a522ae4','fc9af16087fa91903726cfcc33a7ec8c',13,1);
INSERT INTO "submission" VALUES('root:cd4c615158919b5b95a961571ad1b98f','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:d7993bfcb82aa74463a8ad913a52df8b','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:ddba65a351064150f775b6df5bcb0025','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:e9cb6894d749bf75b11af23276ce545e','4d3151f9499af7a0287d3c49565a6804',3,1);
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795490694829920,'root',NULL,NULL,NULL,NULL,'');
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX job_user ON job (user, seq);
COMMIT;
