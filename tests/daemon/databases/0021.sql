PRAGMA application_id=1919775588;
PRAGMA user_version=21;
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
INSERT INTO "attempt" VALUES(1,1,1795744849990052,1795744850199639,'[["e1",1,0]]','exit',0,NULL,0.004911,12,'');
INSERT INTO "attempt" VALUES(2,1,1795744850008462,1795744850207841,'[["e1",1,0]]','exit',3,NULL,0.00409,12,'');
INSERT INTO "attempt" VALUES(3,1,1795744850030232,1795744850207655,'[["e1",1,0]]','exit',NULL,9,0.004006,12,'');
INSERT INTO "attempt" VALUES(4,1,1795744850045317,1795744851195925,'[["e1",1,0]]','limit',NULL,15,0.004284,12,'');
INSERT INTO "attempt" VALUES(5,1,1795744850064441,1795744850164441,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795744850074070,1795744850274070,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795744851245768,1795744851358285,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795744851379103,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795744851402089,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795744849979592,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795744850008236,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795744850030116,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795744850045195,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795744850064287,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795744850073965,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795744851245643,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795744851323799,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795744851379001,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795744851402014,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795744851493639,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795744851509381,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795744851531773,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795744851561661,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795744851589626,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795744851605017,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,5,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"virtual":{},"longest_us":-1,"unsettled":{}}}');
INSERT INTO "event" VALUES(2,2,1795744848399437,'no-op',NULL,5,'{}');
INSERT INTO "event" VALUES(3,3,1795744849969426,'node-up',NULL,5,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795744849969426,'node-up',NULL,5,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795744849990052,'submit',1,5,'{"id":1,"user":"root","name":"fine","submit_us":1795744849979311,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795744849990052,'start',1,5,'{"job":{"seq":1,"eligible_us":1795744849979311,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795744849990052,"reserved_rank":0,"reserved_us":1795744849990052,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744849990052,"expected_end_us":10802944104731044,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795744850008462,'submit',2,5,'{"id":2,"user":"root","name":"failed","submit_us":1795744850003916,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795744850008462,'start',2,5,'{"job":{"seq":2,"eligible_us":1795744850003916,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795744850008462,"reserved_rank":1,"reserved_us":1795744850008462,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850008462,"expected_end_us":10802944104749454,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795744850030232,'submit',3,5,'{"id":3,"user":"root","name":"shot","submit_us":1795744850029907,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795744850030232,'start',3,5,'{"job":{"seq":3,"eligible_us":1795744850029907,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795744850030232,"reserved_rank":2,"reserved_us":1795744850030232,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850030232,"expected_end_us":10802944104771224,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795744850045317,'submit',4,5,'{"id":4,"user":"root","name":"slow","submit_us":1795744850044919,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795744850045317,'start',4,5,'{"job":{"seq":4,"eligible_us":1795744850044919,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795744850045317,"reserved_rank":3,"reserved_us":1795744850045317,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850045317,"expected_end_us":1795744851045317,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795744850064441,'submit',5,5,'{"id":5,"user":"ann","name":"timer","submit_us":1795744850061003,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795744850064441,'start',5,5,'{"job":{"seq":5,"eligible_us":1795744850061003,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795744850064441,"reserved_rank":4,"reserved_us":1795744850064441,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850064441,"expected_end_us":10802944104805433,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795744850074070,'submit',6,5,'{"id":6,"user":"ann","name":"timer","submit_us":1795744850073754,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795744850074070,'start',6,5,'{"job":{"seq":6,"eligible_us":1795744850073754,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795744850074070,"reserved_rank":5,"reserved_us":1795744850074070,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850074070,"expected_end_us":10802944104815062,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795744850116291,'launched',5,5,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795744850116291,'launched',6,5,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795744850172402,'exited',5,5,'{"attempt":1,"node":"e2","end_us":1795744850164441,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(20,11,1795744850172402,'end',5,5,'{"job":{"seq":5,"eligible_us":1795744850061003,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795744850064441,"reserved_rank":4,"reserved_us":1795744850064441,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850064441,"expected_end_us":10802944104805433,"end_us":1795744850164441,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(21,12,1795744850200502,'exited',1,5,'{"attempt":1,"node":"e1","end_us":1795744850199639,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004911,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(22,12,1795744850200502,'launched',1,5,'{"attempt":1}');
INSERT INTO "event" VALUES(23,12,1795744850200502,'end',1,5,'{"job":{"seq":1,"eligible_us":1795744849979311,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795744849990052,"reserved_rank":0,"reserved_us":1795744849990052,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744849990052,"expected_end_us":10802944104731044,"end_us":1795744850199639,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004911,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(24,13,1795744850215600,'exited',2,5,'{"attempt":1,"node":"e1","end_us":1795744850207841,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.00409,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(25,13,1795744850215600,'exited',3,5,'{"attempt":1,"node":"e1","end_us":1795744850207655,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004006,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(26,13,1795744850215600,'launched',2,5,'{"attempt":1}');
INSERT INTO "event" VALUES(27,13,1795744850215600,'launched',3,5,'{"attempt":1}');
INSERT INTO "event" VALUES(28,13,1795744850215600,'launched',4,5,'{"attempt":1}');
INSERT INTO "event" VALUES(29,13,1795744850215600,'end',2,5,'{"job":{"seq":2,"eligible_us":1795744850003916,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795744850008462,"reserved_rank":1,"reserved_us":1795744850008462,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850008462,"expected_end_us":10802944104749454,"end_us":1795744850207841,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.00409,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(30,13,1795744850215600,'end',3,5,'{"job":{"seq":3,"eligible_us":1795744850029907,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795744850030232,"reserved_rank":2,"reserved_us":1795744850030232,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850030232,"expected_end_us":10802944104771224,"end_us":1795744850207655,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004006,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(31,14,1795744850276020,'exited',6,5,'{"attempt":1,"node":"e2","end_us":1795744850274070,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,14,1795744850276020,'end',6,5,'{"job":{"seq":6,"eligible_us":1795744850073754,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795744850074070,"reserved_rank":5,"reserved_us":1795744850074070,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850074070,"expected_end_us":10802944104815062,"end_us":1795744850274070,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795744851046997,'correct',4,5,'{"job":{"seq":4,"eligible_us":1795744850044919,"conditions":[],"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61001680,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795744850045317,"reserved_rank":3,"reserved_us":1795744850045317,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850045317,"expected_end_us":1795744911046997,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,16,1795744851198515,'exited',4,5,'{"attempt":1,"node":"e1","end_us":1795744851195925,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.004284,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,16,1795744851198515,'end',4,5,'{"job":{"seq":4,"eligible_us":1795744850044919,"conditions":[],"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61001680,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795744850045317,"reserved_rank":3,"reserved_us":1795744850045317,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744850045317,"expected_end_us":1795744911046997,"end_us":1795744851195925,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.004284,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,17,1795744851245768,'submit',7,5,'{"id":7,"user":"root","name":"cancelled","submit_us":1795744851245405,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,17,1795744851245768,'start',7,5,'{"job":{"seq":7,"eligible_us":1795744851245405,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795744851245768,"reserved_rank":6,"reserved_us":1795744851245768,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744851245768,"expected_end_us":1795744852245768,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,18,1795744851312088,'launched',7,5,'{"attempt":1}');
INSERT INTO "event" VALUES(39,19,1795744851336410,'cancel',7,5,'{}');
INSERT INTO "event" VALUES(40,19,1795744851336410,'stop',7,5,'{"job":{"seq":7,"eligible_us":1795744851245405,"conditions":[],"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795744851245768,"reserved_rank":6,"reserved_us":1795744851245768,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744851245768,"expected_end_us":1795744851336410,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,20,1795744851358474,'exited',7,5,'{"attempt":1,"node":"e1","end_us":1795744851358285,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,20,1795744851358474,'end',7,5,'{"job":{"seq":7,"eligible_us":1795744851245405,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795744851245768,"reserved_rank":6,"reserved_us":1795744851245768,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744851245768,"expected_end_us":1795744851336410,"end_us":1795744851358285,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,21,1795744851379103,'submit',8,5,'{"id":8,"user":"root","name":"long","submit_us":1795744851378792,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,21,1795744851379103,'start',8,5,'{"job":{"seq":8,"eligible_us":1795744851378792,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795744851379103,"reserved_rank":7,"reserved_us":1795744851379103,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744851379103,"expected_end_us":1795744852379103,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,22,1795744851402089,'submit',9,5,'{"id":9,"user":"root","name":"wide","submit_us":1795744851401856,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null,[],[]]],"size":2,"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,22,1795744851402089,'start',9,5,'{"job":{"seq":9,"eligible_us":1795744851401856,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795744851402089,"reserved_rank":8,"reserved_us":1795744851402089,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795744851402089,"expected_end_us":1795744852402089,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,23,1795744851430281,'launched',8,5,'{"attempt":1}');
INSERT INTO "event" VALUES(48,24,1795744851476521,'launched',9,5,'{"attempt":1}');
INSERT INTO "event" VALUES(49,25,1795744851493721,'submit',10,5,'{"id":10,"user":"root","name":"never","submit_us":1795744851493454,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,25,1795744851493721,'promise',10,5,'{"job":{"seq":10,"eligible_us":1795744851493454,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795744851493721,"reserved_rank":9,"reserved_us":1795744852402089,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,26,1795744851509429,'cancel',10,5,'{}');
INSERT INTO "event" VALUES(52,26,1795744851509429,'end',10,5,'{"job":{"seq":10,"eligible_us":1795744851493454,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795744851493721,"reserved_rank":9,"reserved_us":1795744852402089,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"expected_end_us":null,"end_us":1795744851509429,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,27,1795744851531858,'submit',11,5,'{"id":11,"user":"root","name":"waits","submit_us":1795744851531590,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,27,1795744851531858,'submit',12,5,'{"id":12,"user":"root","name":"waits","submit_us":1795744851531590,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,27,1795744851531858,'promise',11,5,'{"job":{"seq":11,"eligible_us":1795744851531590,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795744851531858,"reserved_rank":9,"reserved_us":1795744852402089,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,28,1795744851561738,'submit',13,5,'{"id":13,"user":"root","name":"waits-too","submit_us":1795744851561493,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null,[],[]]],"size":8,"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,29,1795744851589675,'drain',NULL,5,'{"name":"e2","drain_reason":"its fan"}');
CREATE TABLE job (
	id INTEGER NOT NULL, 
	user VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	submit_us BIGINT NOT NULL, 
	estimate_us BIGINT NOT NULL, 
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
INSERT INTO "job" VALUES(1,'root','fine',1795744849979311,9007199254740992,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795744849979311,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795744849990052,0,1795744849990052,NULL,0,'[]','[]',NULL,0,0,1795744849990052,10802944104731044,1795744850199639,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.004911,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795744850003916,9007199254740992,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795744850003916,'[]','{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795744850008462,1,1795744850008462,NULL,0,'[]','[]',NULL,0,0,1795744850008462,10802944104749454,1795744850207841,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.00409,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795744850029907,9007199254740992,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795744850029907,'[]','{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795744850030232,2,1795744850030232,NULL,0,'[]','[]',NULL,0,0,1795744850030232,10802944104771224,1795744850207655,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.004006,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795744850044919,1000000,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795744850044919,'[]','{}','TIMEOUT',0,1,61001680,1,1,3,0,NULL,1795744850045317,3,1795744850045317,NULL,0,'[]','[]',NULL,0,0,1795744850045317,1795744911046997,1795744851195925,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.004284,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795744850061003,9007199254740992,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795744850061003,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795744850064441,4,1795744850064441,NULL,0,'[]','[]',NULL,0,0,1795744850064441,10802944104805433,1795744850164441,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795744850073754,9007199254740992,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795744850073754,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795744850074070,5,1795744850074070,NULL,0,'[]','[]',NULL,0,0,1795744850074070,10802944104815062,1795744850274070,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795744851245405,9007199254740992,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795744851245405,'[]','{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795744851245768,6,1795744851245768,NULL,0,'[]','[]',NULL,0,0,1795744851245768,1795744851336410,1795744851358285,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795744851378792,9007199254740992,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795744851378792,'[]','{}','RUNNING',1,1,1000000,0,0,7,0,NULL,1795744851379103,7,1795744851379103,NULL,0,'[]','[]',NULL,0,0,1795744851379103,1795744852379103,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795744851401856,9007199254740992,'[[2,1,0,true,"emulated",null,[],[]]]',2,1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795744851401856,'[]','{}','RUNNING',1,1,1000000,0,0,8,0,NULL,1795744851402089,8,1795744851402089,NULL,0,'[]','[]',NULL,0,0,1795744851402089,1795744852402089,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795744851493454,9007199254740992,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795744851493454,'[]','{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795744851493721,9,1795744852402089,NULL,0,'[]','[]',NULL,0,0,NULL,NULL,1795744851509429,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795744851531590,9007199254740992,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795744851531590,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795744851531858,9,1795744852402089,NULL,0,'[]','[]',NULL,0,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795744851531590,9007199254740992,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795744851531590,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795744851561493,60000000,'[[8,1,0,false,null,null,[],[]]]',8,1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795744851561493,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','29');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795744851589675');
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
INSERT INTO "submission" VALUES('root:1b9508195da4ef596e15abd31bf67764','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:150c6346f0fc105afeb69b86b9fcf856','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:331c3feda4460bdeea597919c8d9fd1b','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:0cbde99a08c1b4e6538cb3cce2face76','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:f485982b3e94e4699b565249366e8a55','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:0c3d40ccd4c87317307edd31aba3a85c','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:4c781759e56f37859579b72e5c6a7972','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:e62f048e20ac757debc46e74c1f5914a','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:814bdb9aba4c30f3c9e9bc53e6697366','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:9018cedccff32bbf5c9a0d0b5c6fe17b','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:2c01934192aa1f8483a870d726a9aa1b','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795744851604983,'root',NULL,NULL,NULL,NULL,'');
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
COMMIT;
