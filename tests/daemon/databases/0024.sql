PRAGMA application_id=1919775588;
PRAGMA user_version=24;
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
INSERT INTO "attempt" VALUES(1,1,1795783594364635,1795783595099430,'[["e1",1,0]]','exit',0,NULL,0.004896,12,'');
INSERT INTO "attempt" VALUES(2,1,1795783594497326,1795783595095419,'[["e1",1,0]]','exit',3,NULL,0.005041,12,'');
INSERT INTO "attempt" VALUES(3,1,1795783594546499,1795783595076878,'[["e1",1,0]]','exit',NULL,9,0.004923,12,'');
INSERT INTO "attempt" VALUES(4,1,1795783594610232,1795783596028818,'[["e1",1,0]]','limit',NULL,15,0.006705,12,'');
INSERT INTO "attempt" VALUES(5,1,1795783594670898,1795783594770898,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795783594738247,1795783594938247,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795783596553914,1795783596788385,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795783596849981,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795783596897276,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795783594354765,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795783594497158,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795783594546350,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795783594610091,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795783594670748,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795783594738118,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795783596553784,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795783596725249,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795783596849852,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795783596897173,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795783597045652,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795783597121029,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795783597201774,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795783597269078,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795783597338059,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795783597386213,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,8,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"policies":[[],[]],"jobs":0,"next_seq":1,"of_backup":false,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"virtual":{},"longest_us":-1,"unsettled":{}}}');
INSERT INTO "event" VALUES(2,2,1795783587620653,'no-op',NULL,8,'{}');
INSERT INTO "event" VALUES(3,3,1795783594301475,'node-up',NULL,8,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795783594301475,'node-up',NULL,8,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795783594364635,'submit',1,8,'{"id":1,"user":"root","name":"fine","submit_us":1795783594354434,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795783594364635,'start',1,8,'{"job":{"seq":1,"eligible_us":1795783594354434,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795783594364635,"reserved_rank":0,"reserved_us":1795783594364635,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594364635,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849105627,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795783594497326,'submit',2,8,'{"id":2,"user":"root","name":"failed","submit_us":1795783594496876,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795783594497326,'start',2,8,'{"job":{"seq":2,"eligible_us":1795783594496876,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795783594497326,"reserved_rank":1,"reserved_us":1795783594497326,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594497326,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849238318,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795783594546499,'submit',3,8,'{"id":3,"user":"root","name":"shot","submit_us":1795783594546104,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795783594546499,'start',3,8,'{"job":{"seq":3,"eligible_us":1795783594546104,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795783594546499,"reserved_rank":2,"reserved_us":1795783594546499,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594546499,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849287491,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795783594610232,'submit',4,8,'{"id":4,"user":"root","name":"slow","submit_us":1795783594609857,"estimate_us":1000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795783594610232,'start',4,8,'{"job":{"seq":4,"eligible_us":1795783594609857,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795783594610232,"reserved_rank":3,"reserved_us":1795783594610232,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594610232,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795783595610232,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795783594670898,'submit',5,8,'{"id":5,"user":"ann","name":"timer","submit_us":1795783594669889,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795783594670898,'start',5,8,'{"job":{"seq":5,"eligible_us":1795783594669889,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795783594670898,"reserved_rank":4,"reserved_us":1795783594670898,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594670898,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849411890,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795783594738247,'submit',6,8,'{"id":6,"user":"ann","name":"timer","submit_us":1795783594737868,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795783594738247,'start',6,8,'{"job":{"seq":6,"eligible_us":1795783594737868,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795783594738247,"reserved_rank":5,"reserved_us":1795783594738247,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594738247,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849479239,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795783594796946,'exited',5,8,'{"attempt":1,"node":"e2","end_us":1795783594770898,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(18,10,1795783594796946,'launched',5,8,'{"attempt":1}');
INSERT INTO "event" VALUES(19,10,1795783594796946,'end',5,8,'{"job":{"seq":5,"eligible_us":1795783594669889,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795783594670898,"reserved_rank":4,"reserved_us":1795783594670898,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594670898,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849411890,"end_us":1795783594770898,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(20,11,1795783594900691,'launched',6,8,'{"attempt":1}');
INSERT INTO "event" VALUES(21,12,1795783594944954,'exited',6,8,'{"attempt":1,"node":"e2","end_us":1795783594938247,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(22,12,1795783594944954,'end',6,8,'{"job":{"seq":6,"eligible_us":1795783594737868,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795783594738247,"reserved_rank":5,"reserved_us":1795783594738247,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594738247,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849479239,"end_us":1795783594938247,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(23,13,1795783595077600,'exited',3,8,'{"attempt":1,"node":"e1","end_us":1795783595076878,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004923,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(24,13,1795783595077600,'launched',3,8,'{"attempt":1}');
INSERT INTO "event" VALUES(25,13,1795783595077600,'end',3,8,'{"job":{"seq":3,"eligible_us":1795783594546104,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795783594546499,"reserved_rank":2,"reserved_us":1795783594546499,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594546499,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849287491,"end_us":1795783595076878,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004923,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(26,14,1795783595124674,'exited',2,8,'{"attempt":1,"node":"e1","end_us":1795783595095419,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.005041,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(27,14,1795783595124674,'exited',1,8,'{"attempt":1,"node":"e1","end_us":1795783595099430,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004896,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(28,14,1795783595124674,'launched',2,8,'{"attempt":1}');
INSERT INTO "event" VALUES(29,14,1795783595124674,'launched',1,8,'{"attempt":1}');
INSERT INTO "event" VALUES(30,14,1795783595124674,'end',2,8,'{"job":{"seq":2,"eligible_us":1795783594496876,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795783594497326,"reserved_rank":1,"reserved_us":1795783594497326,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594497326,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849238318,"end_us":1795783595095419,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.005041,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(31,14,1795783595124674,'end',1,8,'{"job":{"seq":1,"eligible_us":1795783594354434,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795783594364635,"reserved_rank":0,"reserved_us":1795783594364635,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594364635,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10802982849105627,"end_us":1795783595099430,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004896,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(32,15,1795783595164703,'launched',4,8,'{"attempt":1}');
INSERT INTO "event" VALUES(33,16,1795783595610232,'correct',4,8,'{"job":{"seq":4,"eligible_us":1795783594609857,"conditions":[],"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795783594610232,"reserved_rank":3,"reserved_us":1795783594610232,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594610232,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795783655610232,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,17,1795783596036624,'exited',4,8,'{"attempt":1,"node":"e1","end_us":1795783596028818,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.006705,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,17,1795783596036624,'end',4,8,'{"job":{"seq":4,"eligible_us":1795783594609857,"conditions":[],"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795783594610232,"reserved_rank":3,"reserved_us":1795783594610232,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783594610232,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795783655610232,"end_us":1795783596028818,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.006705,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,18,1795783596553914,'submit',7,8,'{"id":7,"user":"root","name":"cancelled","submit_us":1795783596553538,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,18,1795783596553914,'start',7,8,'{"job":{"seq":7,"eligible_us":1795783596553538,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795783596553914,"reserved_rank":6,"reserved_us":1795783596553914,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783596553914,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795783597553914,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,19,1795783596695256,'launched',7,8,'{"attempt":1}');
INSERT INTO "event" VALUES(39,20,1795783596748557,'cancel',7,8,'{}');
INSERT INTO "event" VALUES(40,20,1795783596748557,'stop',7,8,'{"job":{"seq":7,"eligible_us":1795783596553538,"conditions":[],"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795783596553914,"reserved_rank":6,"reserved_us":1795783596553914,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783596553914,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795783596748557,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,21,1795783596788496,'exited',7,8,'{"attempt":1,"node":"e1","end_us":1795783596788385,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,21,1795783596788496,'end',7,8,'{"job":{"seq":7,"eligible_us":1795783596553538,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795783596553914,"reserved_rank":6,"reserved_us":1795783596553914,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783596553914,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795783596748557,"end_us":1795783596788385,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,22,1795783596849981,'submit',8,8,'{"id":8,"user":"root","name":"long","submit_us":1795783596849590,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,22,1795783596849981,'start',8,8,'{"job":{"seq":8,"eligible_us":1795783596849590,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795783596849981,"reserved_rank":7,"reserved_us":1795783596849981,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783596849981,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795783597849981,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,23,1795783596897276,'submit',9,8,'{"id":9,"user":"root","name":"wide","submit_us":1795783596896984,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null,[],[]]],"size":2,"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,23,1795783596897276,'start',9,8,'{"job":{"seq":9,"eligible_us":1795783596896984,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795783596897276,"reserved_rank":8,"reserved_us":1795783596897276,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795783596897276,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795783597897276,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,24,1795783596973172,'launched',8,8,'{"attempt":1}');
INSERT INTO "event" VALUES(48,24,1795783596973172,'launched',9,8,'{"attempt":1}');
INSERT INTO "event" VALUES(49,25,1795783597045773,'submit',10,8,'{"id":10,"user":"root","name":"never","submit_us":1795783597045262,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,25,1795783597045773,'promise',10,8,'{"job":{"seq":10,"eligible_us":1795783597045262,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795783597045773,"reserved_rank":9,"reserved_us":1795783597897276,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,26,1795783597121132,'cancel',10,8,'{}');
INSERT INTO "event" VALUES(52,26,1795783597121132,'end',10,8,'{"job":{"seq":10,"eligible_us":1795783597045262,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795783597045773,"reserved_rank":9,"reserved_us":1795783597897276,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":1795783597121132,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,27,1795783597201897,'submit',11,8,'{"id":11,"user":"root","name":"waits","submit_us":1795783597201545,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,27,1795783597201897,'submit',12,8,'{"id":12,"user":"root","name":"waits","submit_us":1795783597201545,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,27,1795783597201897,'promise',11,8,'{"job":{"seq":11,"eligible_us":1795783597201545,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795783597201897,"reserved_rank":9,"reserved_us":1795783597897276,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,28,1795783597269213,'submit',13,8,'{"id":13,"user":"root","name":"waits-too","submit_us":1795783597268861,"estimate_us":60000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null,[],[]]],"size":8,"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,29,1795783597338136,'drain',NULL,8,'{"name":"e2","drain_reason":"its fan"}');
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
INSERT INTO "job" VALUES(1,'root','fine',1795783594354434,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795783594354434,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795783594364635,0,1795783594364635,NULL,0,'[]','[]',NULL,0,0,1795783594364635,0,NULL,10802982849105627,1795783595099430,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.004896,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795783594496876,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795783594496876,'[]','{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795783594497326,1,1795783594497326,NULL,0,'[]','[]',NULL,0,0,1795783594497326,0,NULL,10802982849238318,1795783595095419,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.005041,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795783594546104,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795783594546104,'[]','{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795783594546499,2,1795783594546499,NULL,0,'[]','[]',NULL,0,0,1795783594546499,0,NULL,10802982849287491,1795783595076878,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.004923,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795783594609857,1000000,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795783594609857,'[]','{}','TIMEOUT',0,1,61000000,1,1,3,0,NULL,1795783594610232,3,1795783594610232,NULL,0,'[]','[]',NULL,0,0,1795783594610232,0,NULL,1795783655610232,1795783596028818,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.006705,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795783594669889,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795783594669889,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795783594670898,4,1795783594670898,NULL,0,'[]','[]',NULL,0,0,1795783594670898,0,NULL,10802982849411890,1795783594770898,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795783594737868,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795783594737868,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795783594738247,5,1795783594738247,NULL,0,'[]','[]',NULL,0,0,1795783594738247,0,NULL,10802982849479239,1795783594938247,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795783596553538,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795783596553538,'[]','{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795783596553914,6,1795783596553914,NULL,0,'[]','[]',NULL,0,0,1795783596553914,0,NULL,1795783596748557,1795783596788385,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795783596849590,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795783596849590,'[]','{}','RUNNING',1,1,1000000,0,0,7,0,NULL,1795783596849981,7,1795783596849981,NULL,0,'[]','[]',NULL,0,0,1795783596849981,0,NULL,1795783597849981,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795783596896984,9007199254740992,NULL,'[[2,1,0,true,"emulated",null,[],[]]]',2,1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795783596896984,'[]','{}','RUNNING',1,1,1000000,0,0,8,0,NULL,1795783596897276,8,1795783596897276,NULL,0,'[]','[]',NULL,0,0,1795783596897276,0,NULL,1795783597897276,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795783597045262,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795783597045262,'[]','{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795783597045773,9,1795783597897276,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,1795783597121132,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795783597201545,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795783597201545,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795783597201897,9,1795783597897276,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795783597201545,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795783597201545,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795783597268861,60000000,NULL,'[[8,1,0,false,null,null,[],[]]]',8,1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795783597268861,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','29');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795783597338136');
INSERT INTO "meta" VALUES('last_id','13');
INSERT INTO "meta" VALUES('live','5');
INSERT INTO "meta" VALUES('next_seq','14');
INSERT INTO "meta" VALUES('planner','{"order":"","starts":9,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"virtual":{},"longest_us":-1,"unsettled":{}}');
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
	link VARCHAR NOT NULL, 
	drain_reason VARCHAR, 
	failures JSON NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "node" VALUES('e1','agent_id','emulated',4,8192,'["emulated"]','[]','hostname','','','0.1.0','polling','up',NULL,'[]');
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','[]','hostname','','','0.1.0','polling','up','its fan','[]');
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
INSERT INTO "submission" VALUES('root:b7a698a22d69dc2e2e9b15cf1f881dd6','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:070fb5748d2d93ebc8aea40986c2361f','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:30ce4a52374c36f88af6e8f1aac26f52','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:065ff8c4bdca18c901152cd81fce474e','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:da009334ae5bd70dc9bdf3c3fe5908ec','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:f7d4be854f323f9d1443d8a3572575b5','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:de1fa4154b4619508b20d7c6a7d0d433','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:7d5b41ce0ed9a7994a07cb000018108f','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:33e4b14e743cf060e2185e8dc4e4aaad','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:97c05318fe864d7ca770995e714cf322','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:8970748cc328665a786de4641a62ee81','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795783597386173,'root',NULL,NULL,NULL,NULL,'');
CREATE TABLE used (
	user VARCHAR NOT NULL, 
	processor_s FLOAT NOT NULL, 
	at_us BIGINT NOT NULL, 
	PRIMARY KEY (user)
);
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
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us, size) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX notice_open ON notice (job_id, event) WHERE target != '';
COMMIT;
