PRAGMA application_id=1919775588;
PRAGMA user_version=19;
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
INSERT INTO "attempt" VALUES(1,1,1795530588906566,1795530589032022,'[["e1",1,0]]','exit',0,NULL,0.006049,12,'');
INSERT INTO "attempt" VALUES(2,1,1795530588913129,1795530589066858,'[["e1",1,0]]','exit',3,NULL,0.004992,12,'');
INSERT INTO "attempt" VALUES(3,1,1795530588918506,1795530589031147,'[["e1",1,0]]','exit',NULL,9,0.004982,12,'');
INSERT INTO "attempt" VALUES(4,1,1795530588927705,1795530590042411,'[["e1",1,0]]','limit',NULL,15,0.008772,12,'');
INSERT INTO "attempt" VALUES(5,1,1795530588936661,1795530589036661,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795530588942979,1795530589142979,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795530590073472,1795530590188702,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795530590210724,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795530590226589,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795530588906417,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795530588912963,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795530588918384,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795530588927590,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795530588936463,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795530588942872,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795530590071053,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795530590154419,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795530590209323,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795530590224020,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795530590296117,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795530590325433,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795530590374725,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795530590400430,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795530590413721,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795530590429232,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,4,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0]}}');
INSERT INTO "event" VALUES(2,2,1795530588150762,'no-op',NULL,4,'{}');
INSERT INTO "event" VALUES(3,3,1795530588898225,'node-up',NULL,4,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795530588898225,'node-up',NULL,4,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795530588906566,'submit',1,4,'{"id":1,"user":"root","name":"fine","submit_us":1795530588906155,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795530588906566,'start',1,4,'{"job":{"seq":1,"eligible_us":1795530588906155,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795530588906566,"reserved_rank":0,"reserved_us":1795530588906566,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588906566,"expected_end_us":10802729843647558,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795530588913129,'submit',2,4,'{"id":2,"user":"root","name":"failed","submit_us":1795530588912639,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795530588913129,'start',2,4,'{"job":{"seq":2,"eligible_us":1795530588912639,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795530588913129,"reserved_rank":1,"reserved_us":1795530588913129,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588913129,"expected_end_us":10802729843654121,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795530588918506,'submit',3,4,'{"id":3,"user":"root","name":"shot","submit_us":1795530588918164,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795530588918506,'start',3,4,'{"job":{"seq":3,"eligible_us":1795530588918164,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795530588918506,"reserved_rank":2,"reserved_us":1795530588918506,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588918506,"expected_end_us":10802729843659498,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795530588927705,'submit',4,4,'{"id":4,"user":"root","name":"slow","submit_us":1795530588927372,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795530588927705,'start',4,4,'{"job":{"seq":4,"eligible_us":1795530588927372,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795530588927705,"reserved_rank":3,"reserved_us":1795530588927705,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588927705,"expected_end_us":1795530589927705,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795530588936661,'submit',5,4,'{"id":5,"user":"ann","name":"timer","submit_us":1795530588935666,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795530588936661,'start',5,4,'{"job":{"seq":5,"eligible_us":1795530588935666,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795530588936661,"reserved_rank":4,"reserved_us":1795530588936661,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588936661,"expected_end_us":10802729843677653,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795530588942979,'submit',6,4,'{"id":6,"user":"ann","name":"timer","submit_us":1795530588942644,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795530588942979,'start',6,4,'{"job":{"seq":6,"eligible_us":1795530588942644,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795530588942979,"reserved_rank":5,"reserved_us":1795530588942979,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588942979,"expected_end_us":10802729843683971,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795530588968037,'launched',5,4,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795530588968037,'launched',6,4,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795530589033230,'exited',1,4,'{"attempt":1,"node":"e1","end_us":1795530589032022,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.006049,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(20,11,1795530589033230,'exited',3,4,'{"attempt":1,"node":"e1","end_us":1795530589031147,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004982,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(21,11,1795530589033230,'launched',1,4,'{"attempt":1}');
INSERT INTO "event" VALUES(22,11,1795530589033230,'launched',3,4,'{"attempt":1}');
INSERT INTO "event" VALUES(23,11,1795530589033230,'launched',2,4,'{"attempt":1}');
INSERT INTO "event" VALUES(24,11,1795530589033230,'end',1,4,'{"job":{"seq":1,"eligible_us":1795530588906155,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795530588906566,"reserved_rank":0,"reserved_us":1795530588906566,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588906566,"expected_end_us":10802729843647558,"end_us":1795530589032022,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.006049,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(25,11,1795530589033230,'end',3,4,'{"job":{"seq":3,"eligible_us":1795530588918164,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795530588918506,"reserved_rank":2,"reserved_us":1795530588918506,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588918506,"expected_end_us":10802729843659498,"end_us":1795530589031147,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004982,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(26,12,1795530589042353,'exited',5,4,'{"attempt":1,"node":"e2","end_us":1795530589036661,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(27,12,1795530589042353,'end',5,4,'{"job":{"seq":5,"eligible_us":1795530588935666,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795530588936661,"reserved_rank":4,"reserved_us":1795530588936661,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588936661,"expected_end_us":10802729843677653,"end_us":1795530589036661,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(28,13,1795530589067862,'exited',2,4,'{"attempt":1,"node":"e1","end_us":1795530589066858,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.004992,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(29,13,1795530589067862,'launched',4,4,'{"attempt":1}');
INSERT INTO "event" VALUES(30,13,1795530589067862,'end',2,4,'{"job":{"seq":2,"eligible_us":1795530588912639,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795530588913129,"reserved_rank":1,"reserved_us":1795530588913129,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588913129,"expected_end_us":10802729843654121,"end_us":1795530589066858,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.004992,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(31,14,1795530589143698,'exited',6,4,'{"attempt":1,"node":"e2","end_us":1795530589142979,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,14,1795530589143698,'end',6,4,'{"job":{"seq":6,"eligible_us":1795530588942644,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795530588942979,"reserved_rank":5,"reserved_us":1795530588942979,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588942979,"expected_end_us":10802729843683971,"end_us":1795530589142979,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795530589934644,'correct',4,4,'{"job":{"seq":4,"eligible_us":1795530588927372,"conditions":[],"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61006939,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795530588927705,"reserved_rank":3,"reserved_us":1795530588927705,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588927705,"expected_end_us":1795530649934644,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,16,1795530590043154,'exited',4,4,'{"attempt":1,"node":"e1","end_us":1795530590042411,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.008772,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,16,1795530590043154,'end',4,4,'{"job":{"seq":4,"eligible_us":1795530588927372,"conditions":[],"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61006939,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795530588927705,"reserved_rank":3,"reserved_us":1795530588927705,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530588927705,"expected_end_us":1795530649934644,"end_us":1795530590042411,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.008772,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,17,1795530590073472,'submit',7,4,'{"id":7,"user":"root","name":"cancelled","submit_us":1795530590070830,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,17,1795530590073472,'start',7,4,'{"job":{"seq":7,"eligible_us":1795530590070830,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795530590073472,"reserved_rank":6,"reserved_us":1795530590073472,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530590073472,"expected_end_us":1795530591073472,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,18,1795530590127042,'launched',7,4,'{"attempt":1}');
INSERT INTO "event" VALUES(39,19,1795530590154501,'cancel',7,4,'{}');
INSERT INTO "event" VALUES(40,19,1795530590154501,'stop',7,4,'{"job":{"seq":7,"eligible_us":1795530590070830,"conditions":[],"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795530590073472,"reserved_rank":6,"reserved_us":1795530590073472,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530590073472,"expected_end_us":1795530591073472,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,20,1795530590189104,'exited',7,4,'{"attempt":1,"node":"e1","end_us":1795530590188702,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,20,1795530590189104,'end',7,4,'{"job":{"seq":7,"eligible_us":1795530590070830,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795530590073472,"reserved_rank":6,"reserved_us":1795530590073472,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530590073472,"expected_end_us":1795530591073472,"end_us":1795530590188702,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,21,1795530590210724,'submit',8,4,'{"id":8,"user":"root","name":"long","submit_us":1795530590207685,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,21,1795530590210724,'start',8,4,'{"job":{"seq":8,"eligible_us":1795530590207685,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795530590210724,"reserved_rank":7,"reserved_us":1795530590210724,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530590210724,"expected_end_us":1795530591210724,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,22,1795530590226589,'launched',8,4,'{"attempt":1}');
INSERT INTO "event" VALUES(46,22,1795530590226589,'submit',9,4,'{"id":9,"user":"root","name":"wide","submit_us":1795530590223791,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null,[],[]]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(47,22,1795530590226589,'start',9,4,'{"job":{"seq":9,"eligible_us":1795530590223791,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795530590226589,"reserved_rank":8,"reserved_us":1795530590226589,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795530590226589,"expected_end_us":1795530591226589,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(48,23,1795530590247574,'launched',9,4,'{"attempt":1}');
INSERT INTO "event" VALUES(49,24,1795530590296206,'submit',10,4,'{"id":10,"user":"root","name":"never","submit_us":1795530590295944,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,24,1795530590296206,'promise',10,4,'{"job":{"seq":10,"eligible_us":1795530590295944,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795530590296206,"reserved_rank":9,"reserved_us":1795530591226589,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,25,1795530590325509,'cancel',10,4,'{}');
INSERT INTO "event" VALUES(52,25,1795530590325509,'end',10,4,'{"job":{"seq":10,"eligible_us":1795530590295944,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795530590296206,"reserved_rank":9,"reserved_us":1795530591226589,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795530590325509,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,26,1795530590374902,'submit',11,4,'{"id":11,"user":"root","name":"waits","submit_us":1795530590367613,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,26,1795530590374902,'submit',12,4,'{"id":12,"user":"root","name":"waits","submit_us":1795530590367613,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,26,1795530590374902,'promise',11,4,'{"job":{"seq":11,"eligible_us":1795530590367613,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795530590374902,"reserved_rank":9,"reserved_us":1795530591226589,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,27,1795530590400516,'submit',13,4,'{"id":13,"user":"root","name":"waits-too","submit_us":1795530590400255,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null,[],[]]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,28,1795530590413787,'drain',NULL,4,'{"name":"e2","drain_reason":"its fan"}');
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
	array_id INTEGER, 
	array_index INTEGER, 
	seq INTEGER NOT NULL, 
	eligible_us BIGINT NOT NULL, 
	conditions JSON NOT NULL, 
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
INSERT INTO "job" VALUES(1,'root','fine',1795530588906155,9007199254740992,'[[1,1,0,false,null,null,[],[]]]',1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795530588906155,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795530588906566,0,1795530588906566,NULL,0,'[]','[]',NULL,0,1795530588906566,10802729843647558,1795530589032022,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.006049,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795530588912639,9007199254740992,'[[1,1,0,false,null,null,[],[]]]',1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795530588912639,'[]','{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795530588913129,1,1795530588913129,NULL,0,'[]','[]',NULL,0,1795530588913129,10802729843654121,1795530589066858,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.004992,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795530588918164,9007199254740992,'[[1,1,0,false,null,null,[],[]]]',1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795530588918164,'[]','{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795530588918506,2,1795530588918506,NULL,0,'[]','[]',NULL,0,1795530588918506,10802729843659498,1795530589031147,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.004982,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795530588927372,1000000,'[[1,1,0,false,null,null,[],[]]]',1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795530588927372,'[]','{}','TIMEOUT',0,1,61006939,1,1,3,0,NULL,1795530588927705,3,1795530588927705,NULL,0,'[]','[]',NULL,0,1795530588927705,1795530649934644,1795530590042411,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.008772,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795530588935666,9007199254740992,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795530588935666,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795530588936661,4,1795530588936661,NULL,0,'[]','[]',NULL,0,1795530588936661,10802729843677653,1795530589036661,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795530588942644,9007199254740992,'[[3,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795530588942644,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795530588942979,5,1795530588942979,NULL,0,'[]','[]',NULL,0,1795530588942979,10802729843683971,1795530589142979,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795530590070830,9007199254740992,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795530590070830,'[]','{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795530590073472,6,1795530590073472,NULL,0,'[]','[]',NULL,0,1795530590073472,1795530591073472,1795530590188702,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795530590207685,9007199254740992,'[[3,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795530590207685,'[]','{}','RUNNING',1,1,1000000,0,0,7,0,NULL,1795530590210724,7,1795530590210724,NULL,0,'[]','[]',NULL,0,1795530590210724,1795530591210724,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795530590223791,9007199254740992,'[[2,1,0,true,"emulated",null,[],[]]]',1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795530590223791,'[]','{}','RUNNING',1,1,1000000,0,0,8,0,NULL,1795530590226589,8,1795530590226589,NULL,0,'[]','[]',NULL,0,1795530590226589,1795530591226589,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795530590295944,9007199254740992,'[[8,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795530590295944,'[]','{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795530590296206,9,1795530591226589,NULL,0,'[]','[]',NULL,0,NULL,NULL,1795530590325509,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795530590367613,9007199254740992,'[[8,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795530590367613,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795530590374902,9,1795530591226589,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795530590367613,9007199254740992,'[[8,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795530590367613,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795530590400255,60000000,'[[8,1,0,false,null,null,[],[]]]',1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795530590400255,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','28');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795530590413787');
INSERT INTO "meta" VALUES('last_id','13');
INSERT INTO "meta" VALUES('live','5');
INSERT INTO "meta" VALUES('next_seq','14');
INSERT INTO "meta" VALUES('planner','{"order":"","starts":9,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0]}');
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
	arrays JSON NOT NULL, 
	PRIMARY KEY (first_id)
)
 WITHOUT ROWID

;
INSERT INTO "submission" VALUES('root:c725667dc5753d8ae619b8588b60de02','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:db996d8a791ee7e12d5a46a81877f8af','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:94ed5955b4a26e454e1c946e7c8fb1ef','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:1346a8194f0da5251085e84e300aae78','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:4f67e436176e5d825ed280c6e1ef40c1','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:c1e1ed72fa5f9ec9b4531551ff254d77','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:4786527b17ff3be8e6611029aba7b633','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:7dfc3b7d11cf2b07777881bdfbb0e69a','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:a1238e6782a97fd8c4fa2573c486adde','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:1b04f32b75c0454f553544c189a2abf0','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:d233fe44ce4cbd527e6dccf025a72be8','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795530590429197,'root',NULL,NULL,NULL,NULL,'');
CREATE TABLE used (
	user VARCHAR NOT NULL, 
	processor_s FLOAT NOT NULL, 
	at_us BIGINT NOT NULL, 
	PRIMARY KEY (user)
);
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
COMMIT;
