PRAGMA application_id=1919775588;
PRAGMA user_version=18;
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
INSERT INTO "attempt" VALUES(1,1,1795514882963838,1795514883108152,'[["e1",1,0]]','exit',0,NULL,0.007779,12,'');
INSERT INTO "attempt" VALUES(2,1,1795514882980509,1795514883086576,'[["e1",1,0]]','exit',3,NULL,0.006573,12,'');
INSERT INTO "attempt" VALUES(3,1,1795514882991054,1795514883086750,'[["e1",1,0]]','exit',NULL,9,0.005382,12,'');
INSERT INTO "attempt" VALUES(4,1,1795514882999656,1795514884097475,'[["e1",1,0]]','limit',NULL,15,0.007761,12,'');
INSERT INTO "attempt" VALUES(5,1,1795514883011776,1795514883111776,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795514883024050,1795514883224050,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795514884148618,1795514884218283,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795514884228334,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795514884231551,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795514882963515,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795514882980332,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795514882990901,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795514882999505,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795514883011621,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795514883023881,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795514884148309,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795514884209631,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795514884228230,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795514884231470,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795514884269565,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795514884278548,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795514884289327,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795514884292950,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795514884305550,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795514884319324,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,3,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0]}}');
INSERT INTO "event" VALUES(2,2,1795514881944600,'no-op',NULL,3,'{}');
INSERT INTO "event" VALUES(3,3,1795514882951556,'node-up',NULL,3,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795514882951556,'node-up',NULL,3,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795514882963838,'submit',1,3,'{"id":1,"user":"root","name":"fine","submit_us":1795514882963127,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795514882963838,'start',1,3,'{"job":{"seq":1,"eligible_us":1795514882963127,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795514882963838,"reserved_rank":0,"reserved_us":1795514882963838,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514882963838,"expected_end_us":10802714137704830,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795514882980509,'submit',2,3,'{"id":2,"user":"root","name":"failed","submit_us":1795514882980061,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795514882980509,'start',2,3,'{"job":{"seq":2,"eligible_us":1795514882980061,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795514882980509,"reserved_rank":1,"reserved_us":1795514882980509,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514882980509,"expected_end_us":10802714137721501,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795514882991054,'submit',3,3,'{"id":3,"user":"root","name":"shot","submit_us":1795514882990663,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795514882991054,'start',3,3,'{"job":{"seq":3,"eligible_us":1795514882990663,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795514882991054,"reserved_rank":2,"reserved_us":1795514882991054,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514882991054,"expected_end_us":10802714137732046,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795514882999656,'submit',4,3,'{"id":4,"user":"root","name":"slow","submit_us":1795514882999265,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795514882999656,'start',4,3,'{"job":{"seq":4,"eligible_us":1795514882999265,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795514882999656,"reserved_rank":3,"reserved_us":1795514882999656,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514882999656,"expected_end_us":1795514883999656,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795514883011776,'submit',5,3,'{"id":5,"user":"ann","name":"timer","submit_us":1795514883010746,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795514883011776,'start',5,3,'{"job":{"seq":5,"eligible_us":1795514883010746,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795514883011776,"reserved_rank":4,"reserved_us":1795514883011776,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514883011776,"expected_end_us":10802714137752768,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795514883024050,'submit',6,3,'{"id":6,"user":"ann","name":"timer","submit_us":1795514883023577,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795514883024050,'start',6,3,'{"job":{"seq":6,"eligible_us":1795514883023577,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795514883024050,"reserved_rank":5,"reserved_us":1795514883024050,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514883024050,"expected_end_us":10802714137765042,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795514883049944,'launched',5,3,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795514883049944,'launched',6,3,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795514883087249,'exited',2,3,'{"attempt":1,"node":"e1","end_us":1795514883086576,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.006573,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(20,11,1795514883087249,'exited',3,3,'{"attempt":1,"node":"e1","end_us":1795514883086750,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.005382,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(21,11,1795514883087249,'launched',2,3,'{"attempt":1}');
INSERT INTO "event" VALUES(22,11,1795514883087249,'launched',3,3,'{"attempt":1}');
INSERT INTO "event" VALUES(23,11,1795514883087249,'end',2,3,'{"job":{"seq":2,"eligible_us":1795514882980061,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795514882980509,"reserved_rank":1,"reserved_us":1795514882980509,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514882980509,"expected_end_us":10802714137721501,"end_us":1795514883086576,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.006573,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(24,11,1795514883087249,'end',3,3,'{"job":{"seq":3,"eligible_us":1795514882990663,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795514882991054,"reserved_rank":2,"reserved_us":1795514882991054,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514882991054,"expected_end_us":10802714137732046,"end_us":1795514883086750,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.005382,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(25,12,1795514883109324,'exited',1,3,'{"attempt":1,"node":"e1","end_us":1795514883108152,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.007779,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(26,12,1795514883109324,'launched',4,3,'{"attempt":1}');
INSERT INTO "event" VALUES(27,12,1795514883109324,'launched',1,3,'{"attempt":1}');
INSERT INTO "event" VALUES(28,12,1795514883109324,'end',1,3,'{"job":{"seq":1,"eligible_us":1795514882963127,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795514882963838,"reserved_rank":0,"reserved_us":1795514882963838,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514882963838,"expected_end_us":10802714137704830,"end_us":1795514883108152,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.007779,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(29,13,1795514883118858,'exited',5,3,'{"attempt":1,"node":"e2","end_us":1795514883111776,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(30,13,1795514883118858,'end',5,3,'{"job":{"seq":5,"eligible_us":1795514883010746,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795514883011776,"reserved_rank":4,"reserved_us":1795514883011776,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514883011776,"expected_end_us":10802714137752768,"end_us":1795514883111776,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(31,14,1795514883329276,'exited',6,3,'{"attempt":1,"node":"e2","end_us":1795514883224050,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,14,1795514883329276,'end',6,3,'{"job":{"seq":6,"eligible_us":1795514883023577,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795514883024050,"reserved_rank":5,"reserved_us":1795514883024050,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514883024050,"expected_end_us":10802714137765042,"end_us":1795514883224050,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795514884004765,'correct',4,3,'{"job":{"seq":4,"eligible_us":1795514882999265,"conditions":[],"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61005109,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795514882999656,"reserved_rank":3,"reserved_us":1795514882999656,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514882999656,"expected_end_us":1795514944004765,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,16,1795514884101476,'exited',4,3,'{"attempt":1,"node":"e1","end_us":1795514884097475,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.007761,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,16,1795514884101476,'end',4,3,'{"job":{"seq":4,"eligible_us":1795514882999265,"conditions":[],"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61005109,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795514882999656,"reserved_rank":3,"reserved_us":1795514882999656,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514882999656,"expected_end_us":1795514944004765,"end_us":1795514884097475,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.007761,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,17,1795514884148618,'submit',7,3,'{"id":7,"user":"root","name":"cancelled","submit_us":1795514884147743,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,17,1795514884148618,'start',7,3,'{"job":{"seq":7,"eligible_us":1795514884147743,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795514884148618,"reserved_rank":6,"reserved_us":1795514884148618,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514884148618,"expected_end_us":1795514885148618,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,18,1795514884184072,'launched',7,3,'{"attempt":1}');
INSERT INTO "event" VALUES(39,19,1795514884209705,'cancel',7,3,'{}');
INSERT INTO "event" VALUES(40,19,1795514884209705,'stop',7,3,'{"job":{"seq":7,"eligible_us":1795514884147743,"conditions":[],"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795514884148618,"reserved_rank":6,"reserved_us":1795514884148618,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514884148618,"expected_end_us":1795514885148618,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,20,1795514884218383,'exited',7,3,'{"attempt":1,"node":"e1","end_us":1795514884218283,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,20,1795514884218383,'end',7,3,'{"job":{"seq":7,"eligible_us":1795514884147743,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795514884148618,"reserved_rank":6,"reserved_us":1795514884148618,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514884148618,"expected_end_us":1795514885148618,"end_us":1795514884218283,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,21,1795514884228334,'submit',8,3,'{"id":8,"user":"root","name":"long","submit_us":1795514884228033,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,21,1795514884228334,'start',8,3,'{"job":{"seq":8,"eligible_us":1795514884228033,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795514884228334,"reserved_rank":7,"reserved_us":1795514884228334,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514884228334,"expected_end_us":1795514885228334,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,22,1795514884231551,'submit',9,3,'{"id":9,"user":"root","name":"wide","submit_us":1795514884231321,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,22,1795514884231551,'start',9,3,'{"job":{"seq":9,"eligible_us":1795514884231321,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795514884231551,"reserved_rank":8,"reserved_us":1795514884231551,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795514884231551,"expected_end_us":1795514885231551,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,23,1795514884257937,'launched',8,3,'{"attempt":1}');
INSERT INTO "event" VALUES(48,23,1795514884257937,'launched',9,3,'{"attempt":1}');
INSERT INTO "event" VALUES(49,24,1795514884269692,'submit',10,3,'{"id":10,"user":"root","name":"never","submit_us":1795514884269341,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,24,1795514884269692,'promise',10,3,'{"job":{"seq":10,"eligible_us":1795514884269341,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795514884269692,"reserved_rank":9,"reserved_us":1795514885231551,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,25,1795514884278661,'cancel',10,3,'{}');
INSERT INTO "event" VALUES(52,25,1795514884278661,'end',10,3,'{"job":{"seq":10,"eligible_us":1795514884269341,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795514884269692,"reserved_rank":9,"reserved_us":1795514885231551,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795514884278661,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,26,1795514884289463,'submit',11,3,'{"id":11,"user":"root","name":"waits","submit_us":1795514884289092,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,26,1795514884289463,'submit',12,3,'{"id":12,"user":"root","name":"waits","submit_us":1795514884289092,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,26,1795514884289463,'promise',11,3,'{"job":{"seq":11,"eligible_us":1795514884289092,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795514884289463,"reserved_rank":9,"reserved_us":1795514885231551,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,27,1795514884293069,'submit',13,3,'{"id":13,"user":"root","name":"waits-too","submit_us":1795514884292740,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,28,1795514884305643,'drain',NULL,3,'{"name":"e2","drain_reason":"its fan"}');
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
INSERT INTO "job" VALUES(1,'root','fine',1795514882963127,9007199254740992,'[[1,1,0,false,null,null]]',1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795514882963127,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795514882963838,0,1795514882963838,NULL,0,'[]','[]',NULL,0,1795514882963838,10802714137704830,1795514883108152,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.007779,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795514882980061,9007199254740992,'[[1,1,0,false,null,null]]',1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795514882980061,'[]','{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795514882980509,1,1795514882980509,NULL,0,'[]','[]',NULL,0,1795514882980509,10802714137721501,1795514883086576,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.006573,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795514882990663,9007199254740992,'[[1,1,0,false,null,null]]',1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795514882990663,'[]','{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795514882991054,2,1795514882991054,NULL,0,'[]','[]',NULL,0,1795514882991054,10802714137732046,1795514883086750,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.005382,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795514882999265,1000000,'[[1,1,0,false,null,null]]',1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795514882999265,'[]','{}','TIMEOUT',0,1,61005109,1,1,3,0,NULL,1795514882999656,3,1795514882999656,NULL,0,'[]','[]',NULL,0,1795514882999656,1795514944004765,1795514884097475,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.007761,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795514883010746,9007199254740992,'[[1,1,0,false,"emulated",null]]',1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795514883010746,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795514883011776,4,1795514883011776,NULL,0,'[]','[]',NULL,0,1795514883011776,10802714137752768,1795514883111776,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795514883023577,9007199254740992,'[[3,1,0,false,"emulated",null]]',1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795514883023577,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795514883024050,5,1795514883024050,NULL,0,'[]','[]',NULL,0,1795514883024050,10802714137765042,1795514883224050,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795514884147743,9007199254740992,'[[1,1,0,false,"emulated",null]]',1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795514884147743,'[]','{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795514884148618,6,1795514884148618,NULL,0,'[]','[]',NULL,0,1795514884148618,1795514885148618,1795514884218283,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795514884228033,9007199254740992,'[[3,1,0,false,"emulated",null]]',1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795514884228033,'[]','{}','RUNNING',1,1,1000000,0,0,7,0,NULL,1795514884228334,7,1795514884228334,NULL,0,'[]','[]',NULL,0,1795514884228334,1795514885228334,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795514884231321,9007199254740992,'[[2,1,0,true,"emulated",null]]',1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795514884231321,'[]','{}','RUNNING',1,1,1000000,0,0,8,0,NULL,1795514884231551,8,1795514884231551,NULL,0,'[]','[]',NULL,0,1795514884231551,1795514885231551,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795514884269341,9007199254740992,'[[8,1,0,false,"emulated",null]]',1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795514884269341,'[]','{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795514884269692,9,1795514885231551,NULL,0,'[]','[]',NULL,0,NULL,NULL,1795514884278661,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795514884289092,9007199254740992,'[[8,1,0,false,"emulated",null]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795514884289092,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795514884289463,9,1795514885231551,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795514884289092,9007199254740992,'[[8,1,0,false,"emulated",null]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795514884289092,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795514884292740,60000000,'[[8,1,0,false,null,null]]',1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795514884292740,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','28');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795514884305643');
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
INSERT INTO "submission" VALUES('root:5980d414338aa01d9944f0077bd1e870','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:11ad907a40621e2ab670724c35ae9e78','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:e7474ba66684151261a4c9e0f992811e','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:297a1df69b03857ae837c101ab96f180','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:453826450a933bc3c8035babbc1f458f','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:4930c211ee0aa51b87788ed982127d1a','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:6b86b159a49bddc831b1404fd0f6d85f','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:f6098ba52b7843934511bb738c73f8d7','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:1bdb86d4349da40e6265e1fde3808902','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:89a7a59bec76412c36f8dd095eac8f2c','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:20b267e2aa3f17a60a87b0d0b9b0164d','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795514884319278,'root',NULL,NULL,NULL,NULL,'');
CREATE TABLE used (
	user VARCHAR NOT NULL, 
	processor_s FLOAT NOT NULL, 
	at_us BIGINT NOT NULL, 
	PRIMARY KEY (user)
);
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX job_live ON job (id) WHERE live;
COMMIT;
