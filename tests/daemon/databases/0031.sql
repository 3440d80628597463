PRAGMA application_id=1919775588;
PRAGMA user_version=31;
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
INSERT INTO "attempt" VALUES(1,1,1795997841654699,1795997841932556,'[["e1",1,0]]','exit',0,NULL,0.008668,12,'');
INSERT INTO "attempt" VALUES(2,1,1795997841680748,1795997841997792,'[["e1",1,0]]','exit',3,NULL,0.011695,12,'');
INSERT INTO "attempt" VALUES(3,1,1795997841708816,1795997842005776,'[["e1",1,0]]','exit',NULL,9,0.010683,12,'');
INSERT INTO "attempt" VALUES(4,1,1795997841740186,1795997842950649,'[["e1",1,0]]','limit',NULL,15,0.009956,12,'');
INSERT INTO "attempt" VALUES(5,1,1795997841775753,1795997841875753,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795997841806784,1795997842006784,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795997843035135,1795997843167705,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795997843204736,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795997843248784,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795997841654140,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795997841680446,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795997841708467,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795997841739852,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795997841775401,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795997841806488,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795997843034705,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795997843139537,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795997843204426,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795997843248478,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795997843332724,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795997843372704,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795997843395939,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795997843415186,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795997843445190,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795997843482565,'root','admin','socket, uid 0','reserve','reservation course','done');
INSERT INTO "audit" VALUES(17,1795997843509365,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,13,'{"version":"0.1.0","recipe":"rmsd-gentle","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"policies":[[],[],[]],"jobs":0,"next_seq":1,"of_backup":false,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"used_in":{},"virtual":{},"longest_us":null,"unsettled":{},"to_predict":[]}}');
INSERT INTO "event" VALUES(2,2,1795997838785317,'no-op',NULL,13,'{}');
INSERT INTO "event" VALUES(3,3,1795997841615612,'node-up',NULL,13,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"96ae3899-19c2-4938-92be-beeeaa0049bb"}');
INSERT INTO "event" VALUES(4,3,1795997841615612,'node-up',NULL,13,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"96ae3899-19c2-4938-92be-beeeaa0049bb"}');
INSERT INTO "event" VALUES(5,4,1795997841654699,'submit',1,13,'{"id":1,"user":"root","name":"fine","submit_us":1795997841641026,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795997841654699,'start',1,13,'{"job":{"seq":1,"eligible_us":1795997841641026,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841654699,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096395691,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795997841680748,'submit',2,13,'{"id":2,"user":"root","name":"failed","submit_us":1795997841679986,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795997841680748,'start',2,13,'{"job":{"seq":2,"eligible_us":1795997841679986,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841680748,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096421740,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795997841708816,'submit',3,13,'{"id":3,"user":"root","name":"shot","submit_us":1795997841707976,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795997841708816,'start',3,13,'{"job":{"seq":3,"eligible_us":1795997841707976,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841708816,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096449808,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795997841740186,'submit',4,13,'{"id":4,"user":"root","name":"slow","submit_us":1795997841739367,"estimate_us":1000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795997841740186,'start',4,13,'{"job":{"seq":4,"eligible_us":1795997841739367,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841740186,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795997842740186,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795997841775753,'submit',5,13,'{"id":5,"user":"ann","name":"timer","submit_us":1795997841769679,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795997841775753,'start',5,13,'{"job":{"seq":5,"eligible_us":1795997841769679,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841775753,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096516745,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795997841806784,'submit',6,13,'{"id":6,"user":"ann","name":"timer","submit_us":1795997841805960,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795997841806784,'start',6,13,'{"job":{"seq":6,"eligible_us":1795997841805960,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841806784,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096547776,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795997841847450,'launched',5,13,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795997841847450,'launched',6,13,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795997841877574,'exited',5,13,'{"attempt":1,"node":"e2","end_us":1795997841875753,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(20,11,1795997841877574,'end',5,13,'{"job":{"seq":5,"eligible_us":1795997841769679,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841775753,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096516745,"end_us":1795997841875753,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(21,12,1795997841933896,'exited',1,13,'{"attempt":1,"node":"e1","end_us":1795997841932556,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.008668,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(22,12,1795997841933896,'launched',1,13,'{"attempt":1}');
INSERT INTO "event" VALUES(23,12,1795997841933896,'end',1,13,'{"job":{"seq":1,"eligible_us":1795997841641026,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841654699,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096395691,"end_us":1795997841932556,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.008668,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(24,13,1795997841998868,'exited',2,13,'{"attempt":1,"node":"e1","end_us":1795997841997792,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.011695,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(25,13,1795997841998868,'launched',2,13,'{"attempt":1}');
INSERT INTO "event" VALUES(26,13,1795997841998868,'end',2,13,'{"job":{"seq":2,"eligible_us":1795997841679986,"conditions":[],"requeue_hold":null,"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841680748,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096421740,"end_us":1795997841997792,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.011695,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(27,14,1795997842014913,'exited',3,13,'{"attempt":1,"node":"e1","end_us":1795997842005776,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.010683,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(28,14,1795997842014913,'exited',6,13,'{"attempt":1,"node":"e2","end_us":1795997842006784,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(29,14,1795997842014913,'launched',4,13,'{"attempt":1}');
INSERT INTO "event" VALUES(30,14,1795997842014913,'launched',3,13,'{"attempt":1}');
INSERT INTO "event" VALUES(31,14,1795997842014913,'end',3,13,'{"job":{"seq":3,"eligible_us":1795997841707976,"conditions":[],"requeue_hold":null,"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841708816,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096449808,"end_us":1795997842005776,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.010683,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(32,14,1795997842014913,'end',6,13,'{"job":{"seq":6,"eligible_us":1795997841805960,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841806784,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803197096547776,"end_us":1795997842006784,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795997842740186,'correct',4,13,'{"job":{"seq":4,"eligible_us":1795997841739367,"conditions":[],"requeue_hold":null,"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841740186,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795997902740186,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,16,1795997842958762,'exited',4,13,'{"attempt":1,"node":"e1","end_us":1795997842950649,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.009956,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,16,1795997842958762,'end',4,13,'{"job":{"seq":4,"eligible_us":1795997841739367,"conditions":[],"requeue_hold":null,"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997841740186,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795997902740186,"end_us":1795997842950649,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.009956,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,17,1795997843035135,'submit',7,13,'{"id":7,"user":"root","name":"cancelled","submit_us":1795997843033792,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,17,1795997843035135,'start',7,13,'{"job":{"seq":7,"eligible_us":1795997843033792,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997843035135,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795997844035135,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,18,1795997843115063,'launched',7,13,'{"attempt":1}');
INSERT INTO "event" VALUES(39,19,1795997843139893,'cancel',7,13,'{}');
INSERT INTO "event" VALUES(40,19,1795997843139893,'stop',7,13,'{"job":{"seq":7,"eligible_us":1795997843033792,"conditions":[],"requeue_hold":null,"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997843035135,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795997843139893,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,20,1795997843168319,'exited',7,13,'{"attempt":1,"node":"e1","end_us":1795997843167705,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,20,1795997843168319,'end',7,13,'{"job":{"seq":7,"eligible_us":1795997843033792,"conditions":[],"requeue_hold":null,"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997843035135,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795997843139893,"end_us":1795997843167705,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,21,1795997843204736,'submit',8,13,'{"id":8,"user":"root","name":"long","submit_us":1795997843203828,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,21,1795997843204736,'start',8,13,'{"job":{"seq":8,"eligible_us":1795997843203828,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997843204736,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795997844204736,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,22,1795997843248784,'launched',8,13,'{"attempt":1}');
INSERT INTO "event" VALUES(46,22,1795997843248784,'submit',9,13,'{"id":9,"user":"root","name":"wide","submit_us":1795997843247934,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null,[],[]]],"size":2,"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(47,22,1795997843248784,'start',9,13,'{"job":{"seq":9,"eligible_us":1795997843247934,"conditions":[],"requeue_hold":null,"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795997843248784,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795997844248784,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(48,23,1795997843318995,'launched',9,13,'{"attempt":1}');
INSERT INTO "event" VALUES(49,24,1795997843342651,'submit',10,13,'{"id":10,"user":"root","name":"never","submit_us":1795997843332305,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,24,1795997843342651,'promise',10,13,'{"job":{"seq":10,"eligible_us":1795997843332305,"conditions":[],"requeue_hold":null,"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795997843342651,"reserved_rank":9,"reserved_us":1795997844248784,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,25,1795997843373037,'cancel',10,13,'{}');
INSERT INTO "event" VALUES(52,25,1795997843373037,'end',10,13,'{"job":{"seq":10,"eligible_us":1795997843332305,"conditions":[],"requeue_hold":null,"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795997843342651,"reserved_rank":9,"reserved_us":1795997844248784,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":1795997843373037,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,26,1795997843396214,'submit',11,13,'{"id":11,"user":"root","name":"waits","submit_us":1795997843395408,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,26,1795997843396214,'submit',12,13,'{"id":12,"user":"root","name":"waits","submit_us":1795997843395408,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,26,1795997843396214,'promise',11,13,'{"job":{"seq":11,"eligible_us":1795997843395408,"conditions":[],"requeue_hold":null,"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795997843396214,"reserved_rank":9,"reserved_us":1795997844248784,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,27,1795997843415453,'submit',13,13,'{"id":13,"user":"root","name":"waits-too","submit_us":1795997843414851,"estimate_us":60000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null,[],[]]],"size":8,"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,28,1795997843445322,'drain',NULL,13,'{"name":"e2","drain_reason":"its fan","drain_by":"root"}');
INSERT INTO "event" VALUES(58,29,1795997843482817,'reserve',NULL,13,'{"name":"course","start_us":1795997873482305,"end_us":1795997903482305,"nodes":["e1"],"cores":0,"users":["ann"],"accounts":["physics"],"is_maintenance":false,"ignores_jobs":true,"replaces":false}');
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
INSERT INTO "job" VALUES(1,'root','fine',1795997841641026,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795997841641026,'[]',NULL,'{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795997841654699,0,NULL,10803197096395691,1795997841932556,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.008668,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795997841679986,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795997841679986,'[]',NULL,'{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795997841680748,0,NULL,10803197096421740,1795997841997792,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.011695,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795997841707976,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795997841707976,'[]',NULL,'{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795997841708816,0,NULL,10803197096449808,1795997842005776,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.010683,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795997841739367,1000000,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795997841739367,'[]',NULL,'{}','TIMEOUT',0,1,61000000,1,1,3,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795997841740186,0,NULL,1795997902740186,1795997842950649,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.009956,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795997841769679,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795997841769679,'[]',NULL,'{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795997841775753,0,NULL,10803197096516745,1795997841875753,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795997841805960,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795997841805960,'[]',NULL,'{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795997841806784,0,NULL,10803197096547776,1795997842006784,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795997843033792,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795997843033792,'[]',NULL,'{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795997843035135,0,NULL,1795997843139893,1795997843167705,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795997843203828,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795997843203828,'[]',NULL,'{}','RUNNING',1,1,1000000,0,0,7,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795997843204736,0,NULL,1795997844204736,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795997843247934,9007199254740992,NULL,'[[2,1,0,true,"emulated",null,[],[]]]',2,1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795997843247934,'[]',NULL,'{}','RUNNING',1,1,1000000,0,0,8,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795997843248784,0,NULL,1795997844248784,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795997843332305,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795997843332305,'[]',NULL,'{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795997843342651,9,1795997844248784,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,1795997843373037,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795997843395408,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795997843395408,'[]',NULL,'{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795997843396214,9,1795997844248784,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795997843395408,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795997843395408,'[]',NULL,'{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795997843414851,60000000,NULL,'[[8,1,0,false,null,null,[],[]]]',8,1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795997843414851,'[]',NULL,'{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','29');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795997843482817');
INSERT INTO "meta" VALUES('last_id','13');
INSERT INTO "meta" VALUES('live','5');
INSERT INTO "meta" VALUES('next_seq','14');
INSERT INTO "meta" VALUES('planner','{"order":"","starts":9,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"used_in":{},"virtual":{},"longest_us":13673,"unsettled":{},"to_predict":[]}');
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
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','[]','hostname','','','0.1.0','polling','','96ae3899-19c2-4938-92be-beeeaa0049bb','up','its fan','root',1795997843445322,'[]','[]');
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
	PRIMARY KEY (name)
)
 WITHOUT ROWID

;
INSERT INTO "reservation" VALUES('course',1795997873482305,1795997903482305,'["e1"]',0,'["ann"]','["physics"]',0);
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
INSERT INTO "submission" VALUES('root:eaef6f1736869e39692ecc7cbd73cde6','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:ff1d7dbeccd807d941a434e4b1f72ff6','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:04657c2b29cee6059e44cbc4c27bb0e7','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:f2bfa5926e7c8053f3f1555dc059e853','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:9e368c73b0c45c0af45baa340dab976d','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:51b56366b4e1dc9f232f7f8106526943','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:8eb3a4571bf17d037ee43d0831f99eed','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:0f9cb8310e71bc3d348b903846b3a52d','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:b58b7108d949d373f2a7af25d8a8b511','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:c6d497dfbaa8b035aaee33958f516e74','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:f7d27d6a3d07fb85ea7bee08f5febd94','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795997843509268,'root',NULL,NULL,NULL,NULL,'');
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
INSERT INTO "virtual" VALUES(8,8,1795997843203828,3,9007199254740992,1795997843204736,NULL,1795997844204736);
INSERT INTO "virtual" VALUES(9,9,1795997843247934,2,9007199254740992,1795997843248784,NULL,1795997844248784);
INSERT INTO "virtual" VALUES(11,11,1795997843395408,8,9007199254740992,NULL,NULL,NULL);
INSERT INTO "virtual" VALUES(12,12,1795997843395408,8,9007199254740992,NULL,NULL,NULL);
INSERT INTO "virtual" VALUES(13,13,1795997843414851,8,60000000,NULL,NULL,NULL);
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
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us, size) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX notice_open ON notice (job_id, event) WHERE target != '';
COMMIT;
