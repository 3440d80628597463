PRAGMA application_id=1919775588;
PRAGMA user_version=32;
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
INSERT INTO "attempt" VALUES(1,1,1795998125756738,1795998126087377,'[["e1",1,0]]','exit',0,NULL,0.010265,12,'');
INSERT INTO "attempt" VALUES(2,1,1795998125789644,1795998126115727,'[["e1",1,0]]','exit',3,NULL,0.009996,12,'');
INSERT INTO "attempt" VALUES(3,1,1795998125827647,1795998126162122,'[["e1",1,0]]','exit',NULL,9,0.016646,12,'');
INSERT INTO "attempt" VALUES(4,1,1795998125861208,1795998127095466,'[["e1",1,0]]','limit',NULL,15,0.011542,12,'');
INSERT INTO "attempt" VALUES(5,1,1795998125892297,1795998125992297,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795998125933917,1795998126133917,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795998127182816,1795998127295713,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795998127347748,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795998127392634,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795998125756151,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795998125789047,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795998125827138,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795998125860587,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795998125891821,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795998125933294,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795998127182086,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795998127261021,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795998127347359,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795998127392331,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795998127525926,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795998127563012,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795998127603921,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795998127688839,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795998127728275,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795998127768370,'root','admin','socket, uid 0','reserve','reservation course','done');
INSERT INTO "audit" VALUES(17,1795998127814687,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,14,'{"version":"0.1.0","recipe":"rmsd-gentle","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"policies":[[],[],[]],"jobs":0,"next_seq":1,"of_backup":false,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"used_in":{},"virtual":{},"longest_us":null,"unsettled":{},"to_predict":[]}}');
INSERT INTO "event" VALUES(2,2,1795998122287583,'no-op',NULL,14,'{}');
INSERT INTO "event" VALUES(3,3,1795998125693169,'node-up',NULL,14,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"96ae3899-19c2-4938-92be-beeeaa0049bb"}');
INSERT INTO "event" VALUES(4,3,1795998125693169,'node-up',NULL,14,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"96ae3899-19c2-4938-92be-beeeaa0049bb"}');
INSERT INTO "event" VALUES(5,4,1795998125756738,'submit',1,14,'{"id":1,"user":"root","name":"fine","submit_us":1795998125749685,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795998125756738,'start',1,14,'{"job":{"seq":1,"eligible_us":1795998125749685,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125756738,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380497730,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795998125789644,'submit',2,14,'{"id":2,"user":"root","name":"failed","submit_us":1795998125788093,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795998125789644,'start',2,14,'{"job":{"seq":2,"eligible_us":1795998125788093,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125789644,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380530636,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795998125827647,'submit',3,14,'{"id":3,"user":"root","name":"shot","submit_us":1795998125826392,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795998125827647,'start',3,14,'{"job":{"seq":3,"eligible_us":1795998125826392,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125827647,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380568639,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795998125861208,'submit',4,14,'{"id":4,"user":"root","name":"slow","submit_us":1795998125859877,"estimate_us":1000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795998125861208,'start',4,14,'{"job":{"seq":4,"eligible_us":1795998125859877,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125861208,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795998126861208,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795998125892297,'submit',5,14,'{"id":5,"user":"ann","name":"timer","submit_us":1795998125883712,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795998125892297,'start',5,14,'{"job":{"seq":5,"eligible_us":1795998125883712,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125892297,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380633289,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795998125933917,'submit',6,14,'{"id":6,"user":"ann","name":"timer","submit_us":1795998125932129,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795998125933917,'start',6,14,'{"job":{"seq":6,"eligible_us":1795998125932129,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125933917,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380674909,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795998125974747,'launched',5,14,'{"attempt":1}');
INSERT INTO "event" VALUES(18,11,1795998125999319,'exited',5,14,'{"attempt":1,"node":"e2","end_us":1795998125992297,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(19,11,1795998125999319,'launched',6,14,'{"attempt":1}');
INSERT INTO "event" VALUES(20,11,1795998125999319,'end',5,14,'{"job":{"seq":5,"eligible_us":1795998125883712,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125892297,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380633289,"end_us":1795998125992297,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(21,12,1795998126068422,'launched',1,14,'{"attempt":1}');
INSERT INTO "event" VALUES(22,13,1795998126103446,'exited',1,14,'{"attempt":1,"node":"e1","end_us":1795998126087377,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.010265,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(23,13,1795998126103446,'launched',2,14,'{"attempt":1}');
INSERT INTO "event" VALUES(24,13,1795998126103446,'end',1,14,'{"job":{"seq":1,"eligible_us":1795998125749685,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125756738,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380497730,"end_us":1795998126087377,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.010265,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(25,14,1795998126136034,'exited',2,14,'{"attempt":1,"node":"e1","end_us":1795998126115727,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.009996,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(26,14,1795998126136034,'end',2,14,'{"job":{"seq":2,"eligible_us":1795998125788093,"conditions":[],"requeue_hold":null,"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125789644,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380530636,"end_us":1795998126115727,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.009996,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(27,15,1795998126167310,'exited',6,14,'{"attempt":1,"node":"e2","end_us":1795998126133917,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(28,15,1795998126167310,'launched',3,14,'{"attempt":1}');
INSERT INTO "event" VALUES(29,15,1795998126167310,'launched',4,14,'{"attempt":1}');
INSERT INTO "event" VALUES(30,15,1795998126167310,'end',6,14,'{"job":{"seq":6,"eligible_us":1795998125932129,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125933917,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380674909,"end_us":1795998126133917,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(31,16,1795998126180751,'exited',3,14,'{"attempt":1,"node":"e1","end_us":1795998126162122,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.016646,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(32,16,1795998126180751,'end',3,14,'{"job":{"seq":3,"eligible_us":1795998125826392,"conditions":[],"requeue_hold":null,"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125827647,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197380568639,"end_us":1795998126162122,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.016646,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(33,17,1795998126861208,'correct',4,14,'{"job":{"seq":4,"eligible_us":1795998125859877,"conditions":[],"requeue_hold":null,"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125861208,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795998186861208,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,18,1795998127097034,'exited',4,14,'{"attempt":1,"node":"e1","end_us":1795998127095466,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.011542,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,18,1795998127097034,'end',4,14,'{"job":{"seq":4,"eligible_us":1795998125859877,"conditions":[],"requeue_hold":null,"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998125861208,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795998186861208,"end_us":1795998127095466,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.011542,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,19,1795998127182816,'submit',7,14,'{"id":7,"user":"root","name":"cancelled","submit_us":1795998127171462,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,19,1795998127182816,'start',7,14,'{"job":{"seq":7,"eligible_us":1795998127171462,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998127182816,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795998128182816,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,20,1795998127233136,'launched',7,14,'{"attempt":1}');
INSERT INTO "event" VALUES(39,21,1795998127271599,'cancel',7,14,'{}');
INSERT INTO "event" VALUES(40,21,1795998127271599,'stop',7,14,'{"job":{"seq":7,"eligible_us":1795998127171462,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998127182816,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795998127271599,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,22,1795998127296098,'exited',7,14,'{"attempt":1,"node":"e1","end_us":1795998127295713,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,22,1795998127296098,'end',7,14,'{"job":{"seq":7,"eligible_us":1795998127171462,"conditions":[],"requeue_hold":null,"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998127182816,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795998127271599,"end_us":1795998127295713,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,23,1795998127347748,'submit',8,14,'{"id":8,"user":"root","name":"long","submit_us":1795998127346549,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,23,1795998127347748,'start',8,14,'{"job":{"seq":8,"eligible_us":1795998127346549,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998127347748,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795998128347748,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,24,1795998127392634,'submit',9,14,'{"id":9,"user":"root","name":"wide","submit_us":1795998127391844,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null,[],[]]],"size":2,"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,24,1795998127392634,'start',9,14,'{"job":{"seq":9,"eligible_us":1795998127391844,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795998127392634,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795998128392634,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,25,1795998127439095,'launched',8,14,'{"attempt":1}');
INSERT INTO "event" VALUES(48,26,1795998127479255,'launched',9,14,'{"attempt":1}');
INSERT INTO "event" VALUES(49,27,1795998127538560,'submit',10,14,'{"id":10,"user":"root","name":"never","submit_us":1795998127525506,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,27,1795998127538560,'promise',10,14,'{"job":{"seq":10,"eligible_us":1795998127525506,"conditions":[],"requeue_hold":null,"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795998127538560,"reserved_rank":9,"reserved_us":1795998128392634,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,28,1795998127563333,'cancel',10,14,'{}');
INSERT INTO "event" VALUES(52,28,1795998127563333,'end',10,14,'{"job":{"seq":10,"eligible_us":1795998127525506,"conditions":[],"requeue_hold":null,"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795998127538560,"reserved_rank":9,"reserved_us":1795998128392634,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":1795998127563333,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,29,1795998127604280,'submit',11,14,'{"id":11,"user":"root","name":"waits","submit_us":1795998127603339,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,29,1795998127604280,'submit',12,14,'{"id":12,"user":"root","name":"waits","submit_us":1795998127603339,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,29,1795998127604280,'promise',11,14,'{"job":{"seq":11,"eligible_us":1795998127603339,"conditions":[],"requeue_hold":null,"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795998127604280,"reserved_rank":9,"reserved_us":1795998128392634,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,30,1795998127689161,'submit',13,14,'{"id":13,"user":"root","name":"waits-too","submit_us":1795998127688284,"estimate_us":60000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null,[],[]]],"size":8,"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,31,1795998127728461,'drain',NULL,14,'{"name":"e2","drain_reason":"its fan","drain_by":"root"}');
INSERT INTO "event" VALUES(58,32,1795998127768550,'reserve',NULL,14,'{"name":"course","start_us":1795998157768096,"end_us":1795998187768096,"nodes":["e1"],"cores":0,"users":["ann"],"accounts":["physics"],"is_maintenance":false,"groups":[],"members":[],"every_us":0,"until_us":0,"ignores_jobs":true,"replaces":false}');
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
INSERT INTO "job" VALUES(1,'root','fine',1795998125749685,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795998125749685,'[]',NULL,'{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795998125756738,0,NULL,10803197380497730,1795998126087377,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.010265,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795998125788093,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795998125788093,'[]',NULL,'{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795998125789644,0,NULL,10803197380530636,1795998126115727,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.009996,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795998125826392,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795998125826392,'[]',NULL,'{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795998125827647,0,NULL,10803197380568639,1795998126162122,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.016646,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795998125859877,1000000,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795998125859877,'[]',NULL,'{}','TIMEOUT',0,1,61000000,1,1,3,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795998125861208,0,NULL,1795998186861208,1795998127095466,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.011542,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795998125883712,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795998125883712,'[]',NULL,'{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795998125892297,0,NULL,10803197380633289,1795998125992297,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795998125932129,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795998125932129,'[]',NULL,'{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795998125933917,0,NULL,10803197380674909,1795998126133917,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795998127171462,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795998127171462,'[]',NULL,'{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795998127182816,0,NULL,1795998127271599,1795998127295713,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795998127346549,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795998127346549,'[]',NULL,'{}','RUNNING',1,1,1000000,0,0,7,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795998127347748,0,NULL,1795998128347748,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795998127391844,9007199254740992,NULL,'[[2,1,0,true,"emulated",null,[],[]]]',2,1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795998127391844,'[]',NULL,'{}','RUNNING',1,1,1000000,0,0,8,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795998127392634,0,NULL,1795998128392634,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795998127525506,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795998127525506,'[]',NULL,'{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795998127538560,9,1795998128392634,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,1795998127563333,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795998127603339,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795998127603339,'[]',NULL,'{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795998127604280,9,1795998128392634,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795998127603339,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795998127603339,'[]',NULL,'{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795998127688284,60000000,NULL,'[[8,1,0,false,null,null,[],[]]]',8,1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795998127688284,'[]',NULL,'{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','32');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795998127768550');
INSERT INTO "meta" VALUES('last_id','13');
INSERT INTO "meta" VALUES('live','5');
INSERT INTO "meta" VALUES('next_seq','14');
INSERT INTO "meta" VALUES('planner','{"order":"","starts":9,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"used_in":{},"virtual":{},"longest_us":11354,"unsettled":{},"to_predict":[]}');
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
INSERT INTO "node" VALUES('e1','agent_id','emulated',4,8192,'["emulated"]','[]','hostname','','','0.1.0','polling','','96ae3899-19c2-4938-92be-beeeaa0049bb','up',NULL,'',NULL,'[]','[]');
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','[]','hostname','','','0.1.0','polling','','96ae3899-19c2-4938-92be-beeeaa0049bb','up','its fan','root',1795998127728461,'[]','[]');
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
	PRIMARY KEY (name)
)
 WITHOUT ROWID

;
INSERT INTO "reservation" VALUES('course',1795998157768096,1795998187768096,'["e1"]',0,'["ann"]','["physics"]',0,'[]','[]',0,0);
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
INSERT INTO "submission" VALUES('root:2d67fff556f8361d653e19c61b048d51','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:40ba2deb2e8ceee95116b69605ce4af4','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:e57d7fb908ff4ddf2ee22e201c6186e6','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:b8f3f74c10807f049f139d5b11b796c1','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:7b4b13881d065e37d4bbe8b1dc3b8403','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:e7c4f4d8cadf554b17a52ac0ea26c75e','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:6a6c5519e43a74b3664b758732c4ea20','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:d7c28bfebff23a568f740ecaecf30d18','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:d3f78480010079c43c45c6c75712a30f','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:b0834f183b41623cac01944c9d3aaaea','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:6729ec428b52b6d7f82a3b2269ab5e33','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795998127814588,'root',NULL,NULL,NULL,NULL,'');
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
INSERT INTO "virtual" VALUES(8,8,1795998127346549,3,9007199254740992,1795998127347748,NULL,1795998128347748);
INSERT INTO "virtual" VALUES(9,9,1795998127391844,2,9007199254740992,1795998127392634,NULL,1795998128392634);
INSERT INTO "virtual" VALUES(11,11,1795998127603339,8,9007199254740992,NULL,NULL,NULL);
INSERT INTO "virtual" VALUES(12,12,1795998127603339,8,9007199254740992,NULL,NULL,NULL);
INSERT INTO "virtual" VALUES(13,13,1795998127688284,8,60000000,NULL,NULL,NULL);
CREATE TABLE worst_step (
	job_id INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	exit_code INTEGER NOT NULL, 
	signal INTEGER NOT NULL, 
	PRIMARY KEY (job_id, attempt)
)
 WITHOUT ROWID

;
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us, size) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX notice_open ON notice (job_id, event) WHERE target != '';
COMMIT;
