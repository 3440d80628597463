PRAGMA application_id=1919775588;
PRAGMA user_version=17;
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
INSERT INTO "attempt" VALUES(1,1,1795514204290126,1795514204365210,'[["e1",1,0]]','exit',0,NULL,0.004472,12,'');
INSERT INTO "attempt" VALUES(2,1,1795514204302711,1795514204359252,'[["e1",1,0]]','exit',3,NULL,0.00447,12,'');
INSERT INTO "attempt" VALUES(3,1,1795514204307468,1795514204363796,'[["e1",1,0]]','exit',NULL,9,0.004717,12,'');
INSERT INTO "attempt" VALUES(4,1,1795514204314311,1795514205362844,'[["e1",1,0]]','limit',NULL,15,0.005275,12,'');
INSERT INTO "attempt" VALUES(5,1,1795514204324120,1795514204424120,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795514204330759,1795514204530759,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795514205377238,1795514205425952,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795514205435596,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795514205442553,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795514204289983,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795514204302583,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795514204307356,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795514204314203,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795514204323943,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795514204330651,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795514205377136,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795514205423070,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795514205435499,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795514205442468,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795514205475234,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795514205481929,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795514205487880,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795514205493990,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795514205497773,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795514205502215,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(2,2,1795514203858305,'no-op',NULL,3,'{}');
INSERT INTO "event" VALUES(3,3,1795514204283725,'node-up',NULL,3,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795514204283725,'node-up',NULL,3,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795514204290126,'submit',1,3,'{"id":1,"user":"root","name":"fine","submit_us":1795514204289751,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795514204290126,'start',1,3,'{"job":{"seq":1,"eligible_us":1795514204289751,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795514204290126,"reserved_rank":0,"reserved_us":1795514204290126,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204290126,"expected_end_us":10802713459031118,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795514204302711,'submit',2,3,'{"id":2,"user":"root","name":"failed","submit_us":1795514204302380,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795514204302711,'start',2,3,'{"job":{"seq":2,"eligible_us":1795514204302380,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795514204302711,"reserved_rank":1,"reserved_us":1795514204302711,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204302711,"expected_end_us":10802713459043703,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795514204307468,'submit',3,3,'{"id":3,"user":"root","name":"shot","submit_us":1795514204307178,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795514204307468,'start',3,3,'{"job":{"seq":3,"eligible_us":1795514204307178,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795514204307468,"reserved_rank":2,"reserved_us":1795514204307468,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204307468,"expected_end_us":10802713459048460,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795514204314311,'submit',4,3,'{"id":4,"user":"root","name":"slow","submit_us":1795514204314022,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795514204314311,'start',4,3,'{"job":{"seq":4,"eligible_us":1795514204314022,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795514204314311,"reserved_rank":3,"reserved_us":1795514204314311,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204314311,"expected_end_us":1795514205314311,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795514204324120,'submit',5,3,'{"id":5,"user":"ann","name":"timer","submit_us":1795514204322459,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795514204324120,'start',5,3,'{"job":{"seq":5,"eligible_us":1795514204322459,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795514204324120,"reserved_rank":4,"reserved_us":1795514204324120,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204324120,"expected_end_us":10802713459065112,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795514204330759,'submit',6,3,'{"id":6,"user":"ann","name":"timer","submit_us":1795514204330450,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795514204330759,'start',6,3,'{"job":{"seq":6,"eligible_us":1795514204330450,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795514204330759,"reserved_rank":5,"reserved_us":1795514204330759,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204330759,"expected_end_us":10802713459071751,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795514204358107,'launched',5,3,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795514204358107,'launched',6,3,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795514204360991,'exited',2,3,'{"attempt":1,"node":"e1","end_us":1795514204359252,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.00447,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(20,11,1795514204360991,'launched',2,3,'{"attempt":1}');
INSERT INTO "event" VALUES(21,11,1795514204360991,'end',2,3,'{"job":{"seq":2,"eligible_us":1795514204302380,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795514204302711,"reserved_rank":1,"reserved_us":1795514204302711,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204302711,"expected_end_us":10802713459043703,"end_us":1795514204359252,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.00447,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(22,12,1795514204366987,'exited',3,3,'{"attempt":1,"node":"e1","end_us":1795514204363796,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004717,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(23,12,1795514204366987,'exited',1,3,'{"attempt":1,"node":"e1","end_us":1795514204365210,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004472,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(24,12,1795514204366987,'launched',3,3,'{"attempt":1}');
INSERT INTO "event" VALUES(25,12,1795514204366987,'launched',4,3,'{"attempt":1}');
INSERT INTO "event" VALUES(26,12,1795514204366987,'launched',1,3,'{"attempt":1}');
INSERT INTO "event" VALUES(27,12,1795514204366987,'end',3,3,'{"job":{"seq":3,"eligible_us":1795514204307178,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795514204307468,"reserved_rank":2,"reserved_us":1795514204307468,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204307468,"expected_end_us":10802713459048460,"end_us":1795514204363796,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004717,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(28,12,1795514204366987,'end',1,3,'{"job":{"seq":1,"eligible_us":1795514204289751,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795514204290126,"reserved_rank":0,"reserved_us":1795514204290126,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204290126,"expected_end_us":10802713459031118,"end_us":1795514204365210,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004472,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(29,13,1795514204424918,'exited',5,3,'{"attempt":1,"node":"e2","end_us":1795514204424120,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(30,13,1795514204424918,'end',5,3,'{"job":{"seq":5,"eligible_us":1795514204322459,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795514204324120,"reserved_rank":4,"reserved_us":1795514204324120,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204324120,"expected_end_us":10802713459065112,"end_us":1795514204424120,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(31,14,1795514204531407,'exited',6,3,'{"attempt":1,"node":"e2","end_us":1795514204530759,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,14,1795514204531407,'end',6,3,'{"job":{"seq":6,"eligible_us":1795514204330450,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795514204330759,"reserved_rank":5,"reserved_us":1795514204330759,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204330759,"expected_end_us":10802713459071751,"end_us":1795514204530759,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795514205316787,'correct',4,3,'{"job":{"seq":4,"eligible_us":1795514204314022,"conditions":[],"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61002476,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795514204314311,"reserved_rank":3,"reserved_us":1795514204314311,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204314311,"expected_end_us":1795514265316787,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,16,1795514205363484,'exited',4,3,'{"attempt":1,"node":"e1","end_us":1795514205362844,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.005275,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,16,1795514205363484,'end',4,3,'{"job":{"seq":4,"eligible_us":1795514204314022,"conditions":[],"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61002476,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795514204314311,"reserved_rank":3,"reserved_us":1795514204314311,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514204314311,"expected_end_us":1795514265316787,"end_us":1795514205362844,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.005275,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,17,1795514205377238,'submit',7,3,'{"id":7,"user":"root","name":"cancelled","submit_us":1795514205376964,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,17,1795514205377238,'start',7,3,'{"job":{"seq":7,"eligible_us":1795514205376964,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795514205377238,"reserved_rank":6,"reserved_us":1795514205377238,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514205377238,"expected_end_us":1795514206377238,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,18,1795514205406269,'launched',7,3,'{"attempt":1}');
INSERT INTO "event" VALUES(39,19,1795514205423145,'cancel',7,3,'{}');
INSERT INTO "event" VALUES(40,19,1795514205423145,'stop',7,3,'{"job":{"seq":7,"eligible_us":1795514205376964,"conditions":[],"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795514205377238,"reserved_rank":6,"reserved_us":1795514205377238,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514205377238,"expected_end_us":1795514206377238,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,20,1795514205426091,'exited',7,3,'{"attempt":1,"node":"e1","end_us":1795514205425952,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,20,1795514205426091,'end',7,3,'{"job":{"seq":7,"eligible_us":1795514205376964,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795514205377238,"reserved_rank":6,"reserved_us":1795514205377238,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514205377238,"expected_end_us":1795514206377238,"end_us":1795514205425952,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,21,1795514205435596,'submit',8,3,'{"id":8,"user":"root","name":"long","submit_us":1795514205435313,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,21,1795514205435596,'start',8,3,'{"job":{"seq":8,"eligible_us":1795514205435313,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795514205435596,"reserved_rank":7,"reserved_us":1795514205435596,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514205435596,"expected_end_us":1795514206435596,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,22,1795514205442553,'submit',9,3,'{"id":9,"user":"root","name":"wide","submit_us":1795514205442322,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,22,1795514205442553,'start',9,3,'{"job":{"seq":9,"eligible_us":1795514205442322,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795514205442553,"reserved_rank":8,"reserved_us":1795514205442553,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514205442553,"expected_end_us":1795514206442553,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,23,1795514205467956,'launched',8,3,'{"attempt":1}');
INSERT INTO "event" VALUES(48,23,1795514205467956,'launched',9,3,'{"attempt":1}');
INSERT INTO "event" VALUES(49,24,1795514205475328,'submit',10,3,'{"id":10,"user":"root","name":"never","submit_us":1795514205475084,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,24,1795514205475328,'promise',10,3,'{"job":{"seq":10,"eligible_us":1795514205475084,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795514205475328,"reserved_rank":9,"reserved_us":1795514206442553,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,25,1795514205481990,'cancel',10,3,'{}');
INSERT INTO "event" VALUES(52,25,1795514205481990,'end',10,3,'{"job":{"seq":10,"eligible_us":1795514205475084,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795514205475328,"reserved_rank":9,"reserved_us":1795514206442553,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795514205481990,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,26,1795514205487971,'submit',11,3,'{"id":11,"user":"root","name":"waits","submit_us":1795514205487717,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,26,1795514205487971,'submit',12,3,'{"id":12,"user":"root","name":"waits","submit_us":1795514205487717,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,26,1795514205487971,'promise',11,3,'{"job":{"seq":11,"eligible_us":1795514205487717,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795514205487971,"reserved_rank":9,"reserved_us":1795514206442553,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,27,1795514205494072,'submit',13,3,'{"id":13,"user":"root","name":"waits-too","submit_us":1795514205493842,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,28,1795514205497824,'drain',NULL,3,'{"name":"e2","drain_reason":"its fan"}');
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
INSERT INTO "job" VALUES(1,'root','fine',1795514204289751,9007199254740992,'[[1,1,0,false,null,null]]',1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795514204289751,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795514204290126,0,1795514204290126,NULL,0,'[]','[]',NULL,0,1795514204290126,10802713459031118,1795514204365210,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.004472,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795514204302380,9007199254740992,'[[1,1,0,false,null,null]]',1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795514204302380,'[]','{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795514204302711,1,1795514204302711,NULL,0,'[]','[]',NULL,0,1795514204302711,10802713459043703,1795514204359252,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.00447,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795514204307178,9007199254740992,'[[1,1,0,false,null,null]]',1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795514204307178,'[]','{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795514204307468,2,1795514204307468,NULL,0,'[]','[]',NULL,0,1795514204307468,10802713459048460,1795514204363796,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.004717,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795514204314022,1000000,'[[1,1,0,false,null,null]]',1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795514204314022,'[]','{}','TIMEOUT',0,1,61002476,1,1,3,0,NULL,1795514204314311,3,1795514204314311,NULL,0,'[]','[]',NULL,0,1795514204314311,1795514265316787,1795514205362844,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.005275,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795514204322459,9007199254740992,'[[1,1,0,false,"emulated",null]]',1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795514204322459,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795514204324120,4,1795514204324120,NULL,0,'[]','[]',NULL,0,1795514204324120,10802713459065112,1795514204424120,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795514204330450,9007199254740992,'[[3,1,0,false,"emulated",null]]',1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795514204330450,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795514204330759,5,1795514204330759,NULL,0,'[]','[]',NULL,0,1795514204330759,10802713459071751,1795514204530759,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795514205376964,9007199254740992,'[[1,1,0,false,"emulated",null]]',1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795514205376964,'[]','{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795514205377238,6,1795514205377238,NULL,0,'[]','[]',NULL,0,1795514205377238,1795514206377238,1795514205425952,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795514205435313,9007199254740992,'[[3,1,0,false,"emulated",null]]',1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795514205435313,'[]','{}','RUNNING',1,1,1000000,0,0,7,0,NULL,1795514205435596,7,1795514205435596,NULL,0,'[]','[]',NULL,0,1795514205435596,1795514206435596,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795514205442322,9007199254740992,'[[2,1,0,true,"emulated",null]]',1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795514205442322,'[]','{}','RUNNING',1,1,1000000,0,0,8,0,NULL,1795514205442553,8,1795514205442553,NULL,0,'[]','[]',NULL,0,1795514205442553,1795514206442553,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795514205475084,9007199254740992,'[[8,1,0,false,"emulated",null]]',1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795514205475084,'[]','{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795514205475328,9,1795514206442553,NULL,0,'[]','[]',NULL,0,NULL,NULL,1795514205481990,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795514205487717,9007199254740992,'[[8,1,0,false,"emulated",null]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795514205487717,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795514205487971,9,1795514206442553,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795514205487717,9007199254740992,'[[8,1,0,false,"emulated",null]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795514205487717,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795514205493842,60000000,'[[8,1,0,false,null,null]]',1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795514205493842,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','28');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795514205497824');
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
	arrays JSON NOT NULL, 
	PRIMARY KEY (first_id)
)
 WITHOUT ROWID

;
INSERT INTO "submission" VALUES('root:3ff770b749eb0f97af409433d138b4ff','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:2a6929533c6bd4ba4abd31b37969213d','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:71878903ab54a9f4ba814d1f89ab258e','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:c3e7dbd1a603e0aefec72aedb455a8a4','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:d1a2d23507a275ae55b0510fe67b2b9b','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:3a37e7fc33fb234ab1d16e6f0de54abb','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:42f236cd5f953697461cd9f2bf042bed','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:c73dddd619f9f09da6fc28acc3761d11','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:3425a3425b92cc003679d0e51aa883eb','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:3023bbce3e0640695cafe1ebf7c1591c','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:70b83be5a6b9236d7bb806cbe09616a3','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795514205502182,'root',NULL,NULL,NULL,NULL,'');
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
COMMIT;
