PRAGMA application_id=1919775588;
PRAGMA user_version=30;
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
INSERT INTO "attempt" VALUES(1,1,1795981323853415,1795981324037414,'[["e1",1,0]]','exit',0,NULL,0.011743,12,'');
INSERT INTO "attempt" VALUES(2,1,1795981323898655,1795981324072933,'[["e1",1,0]]','exit',3,NULL,0.01356,12,'');
INSERT INTO "attempt" VALUES(3,1,1795981323921875,1795981324062398,'[["e1",1,0]]','exit',NULL,9,0.011121,12,'');
INSERT INTO "attempt" VALUES(4,1,1795981323958364,1795981325063243,'[["e1",1,0]]','limit',NULL,15,0.013643,12,'');
INSERT INTO "attempt" VALUES(5,1,1795981323986835,1795981324086835,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795981324027138,1795981324227138,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795981325095753,1795981325183113,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795981325208273,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795981325227557,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795981323852785,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795981323893811,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795981323921310,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795981323953589,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795981323986233,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795981324026489,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795981325095379,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795981325167098,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795981325207921,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795981325227056,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795981325290812,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795981325304836,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795981325320276,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795981325340848,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795981325360502,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795981325373759,'root','admin','socket, uid 0','reserve','reservation course','done');
INSERT INTO "audit" VALUES(17,1795981325392801,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,12,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"policies":[[],[],[]],"jobs":0,"next_seq":1,"of_backup":false,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"used_in":{},"virtual":{},"longest_us":null,"unsettled":{}}}');
INSERT INTO "event" VALUES(2,2,1795981321981592,'no-op',NULL,12,'{}');
INSERT INTO "event" VALUES(3,3,1795981323813677,'node-up',NULL,12,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"96ae3899-19c2-4938-92be-beeeaa0049bb"}');
INSERT INTO "event" VALUES(4,3,1795981323813677,'node-up',NULL,12,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"96ae3899-19c2-4938-92be-beeeaa0049bb"}');
INSERT INTO "event" VALUES(5,4,1795981323853415,'submit',1,12,'{"id":1,"user":"root","name":"fine","submit_us":1795981323851046,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795981323853415,'start',1,12,'{"job":{"seq":1,"eligible_us":1795981323851046,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323853415,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578594407,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795981323898655,'submit',2,12,'{"id":2,"user":"root","name":"failed","submit_us":1795981323893109,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795981323898655,'start',2,12,'{"job":{"seq":2,"eligible_us":1795981323893109,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323898655,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578639647,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795981323921875,'submit',3,12,'{"id":3,"user":"root","name":"shot","submit_us":1795981323920668,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795981323921875,'start',3,12,'{"job":{"seq":3,"eligible_us":1795981323920668,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323921875,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578662867,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795981323958364,'submit',4,12,'{"id":4,"user":"root","name":"slow","submit_us":1795981323952902,"estimate_us":1000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795981323958364,'start',4,12,'{"job":{"seq":4,"eligible_us":1795981323952902,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323958364,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795981324958364,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795981323986835,'submit',5,12,'{"id":5,"user":"ann","name":"timer","submit_us":1795981323976390,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795981323986835,'start',5,12,'{"job":{"seq":5,"eligible_us":1795981323976390,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323986835,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578727827,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795981324027138,'launched',5,12,'{"attempt":1}');
INSERT INTO "event" VALUES(16,9,1795981324027138,'submit',6,12,'{"id":6,"user":"ann","name":"timer","submit_us":1795981324020556,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(17,9,1795981324027138,'start',6,12,'{"job":{"seq":6,"eligible_us":1795981324020556,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981324027138,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578768130,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(18,10,1795981324062743,'exited',1,12,'{"attempt":1,"node":"e1","end_us":1795981324037414,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.011743,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(19,10,1795981324062743,'launched',1,12,'{"attempt":1}');
INSERT INTO "event" VALUES(20,10,1795981324062743,'end',1,12,'{"job":{"seq":1,"eligible_us":1795981323851046,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323853415,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578594407,"end_us":1795981324037414,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.011743,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(21,11,1795981324083197,'exited',3,12,'{"attempt":1,"node":"e1","end_us":1795981324062398,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.011121,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(22,11,1795981324083197,'exited',2,12,'{"attempt":1,"node":"e1","end_us":1795981324072933,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.01356,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(23,11,1795981324083197,'launched',3,12,'{"attempt":1}');
INSERT INTO "event" VALUES(24,11,1795981324083197,'launched',2,12,'{"attempt":1}');
INSERT INTO "event" VALUES(25,11,1795981324083197,'launched',6,12,'{"attempt":1}');
INSERT INTO "event" VALUES(26,11,1795981324083197,'end',3,12,'{"job":{"seq":3,"eligible_us":1795981323920668,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323921875,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578662867,"end_us":1795981324062398,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.011121,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(27,11,1795981324083197,'end',2,12,'{"job":{"seq":2,"eligible_us":1795981323893109,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323898655,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578639647,"end_us":1795981324072933,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.01356,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(28,12,1795981324101124,'exited',5,12,'{"attempt":1,"node":"e2","end_us":1795981324086835,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(29,12,1795981324101124,'end',5,12,'{"job":{"seq":5,"eligible_us":1795981323976390,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323986835,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578727827,"end_us":1795981324086835,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(30,13,1795981324146934,'launched',4,12,'{"attempt":1}');
INSERT INTO "event" VALUES(31,14,1795981324231313,'exited',6,12,'{"attempt":1,"node":"e2","end_us":1795981324227138,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,14,1795981324231313,'end',6,12,'{"job":{"seq":6,"eligible_us":1795981324020556,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981324027138,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803180578768130,"end_us":1795981324227138,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795981324958364,'correct',4,12,'{"job":{"seq":4,"eligible_us":1795981323952902,"conditions":[],"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323958364,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795981384958364,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,16,1795981325064373,'exited',4,12,'{"attempt":1,"node":"e1","end_us":1795981325063243,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.013643,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,16,1795981325064373,'end',4,12,'{"job":{"seq":4,"eligible_us":1795981323952902,"conditions":[],"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981323958364,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795981384958364,"end_us":1795981325063243,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.013643,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,17,1795981325095753,'submit',7,12,'{"id":7,"user":"root","name":"cancelled","submit_us":1795981325094789,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,17,1795981325095753,'start',7,12,'{"job":{"seq":7,"eligible_us":1795981325094789,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981325095753,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795981326095753,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,18,1795981325138864,'launched',7,12,'{"attempt":1}');
INSERT INTO "event" VALUES(39,19,1795981325167366,'cancel',7,12,'{}');
INSERT INTO "event" VALUES(40,19,1795981325167366,'stop',7,12,'{"job":{"seq":7,"eligible_us":1795981325094789,"conditions":[],"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981325095753,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795981325167366,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,20,1795981325183579,'exited',7,12,'{"attempt":1,"node":"e1","end_us":1795981325183113,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,20,1795981325183579,'end',7,12,'{"job":{"seq":7,"eligible_us":1795981325094789,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981325095753,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795981325167366,"end_us":1795981325183113,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,21,1795981325208273,'submit',8,12,'{"id":8,"user":"root","name":"long","submit_us":1795981325207248,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,21,1795981325208273,'start',8,12,'{"job":{"seq":8,"eligible_us":1795981325207248,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981325208273,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795981326208273,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,22,1795981325227557,'submit',9,12,'{"id":9,"user":"root","name":"wide","submit_us":1795981325226329,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null,[],[]]],"size":2,"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,22,1795981325227557,'start',9,12,'{"job":{"seq":9,"eligible_us":1795981325226329,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795981325227557,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795981326227557,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,23,1795981325255285,'launched',8,12,'{"attempt":1}');
INSERT INTO "event" VALUES(48,23,1795981325255285,'launched',9,12,'{"attempt":1}');
INSERT INTO "event" VALUES(49,24,1795981325291225,'submit',10,12,'{"id":10,"user":"root","name":"never","submit_us":1795981325290087,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,24,1795981325291225,'promise',10,12,'{"job":{"seq":10,"eligible_us":1795981325290087,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795981325291225,"reserved_rank":9,"reserved_us":1795981326227557,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,25,1795981325305117,'cancel',10,12,'{}');
INSERT INTO "event" VALUES(52,25,1795981325305117,'end',10,12,'{"job":{"seq":10,"eligible_us":1795981325290087,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795981325291225,"reserved_rank":9,"reserved_us":1795981326227557,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":1795981325305117,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,26,1795981325320789,'submit',11,12,'{"id":11,"user":"root","name":"waits","submit_us":1795981325319564,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,26,1795981325320789,'submit',12,12,'{"id":12,"user":"root","name":"waits","submit_us":1795981325319564,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,26,1795981325320789,'promise',11,12,'{"job":{"seq":11,"eligible_us":1795981325319564,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795981325320789,"reserved_rank":9,"reserved_us":1795981326227557,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,27,1795981325341201,'submit',13,12,'{"id":13,"user":"root","name":"waits-too","submit_us":1795981325340267,"estimate_us":60000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null,[],[]]],"size":8,"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,28,1795981325360658,'drain',NULL,12,'{"name":"e2","drain_reason":"its fan","drain_by":"root"}');
INSERT INTO "event" VALUES(58,29,1795981325373882,'reserve',NULL,12,'{"name":"course","start_us":1795981355373556,"end_us":1795981385373556,"nodes":["e1"],"cores":0,"users":["ann"],"accounts":["physics"],"is_maintenance":false,"ignores_jobs":true,"replaces":false}');
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
INSERT INTO "job" VALUES(1,'root','fine',1795981323851046,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795981323851046,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795981323853415,0,NULL,10803180578594407,1795981324037414,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.011743,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795981323893109,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795981323893109,'[]','{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795981323898655,0,NULL,10803180578639647,1795981324072933,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.01356,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795981323920668,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795981323920668,'[]','{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795981323921875,0,NULL,10803180578662867,1795981324062398,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.011121,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795981323952902,1000000,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795981323952902,'[]','{}','TIMEOUT',0,1,61000000,1,1,3,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795981323958364,0,NULL,1795981384958364,1795981325063243,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.013643,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795981323976390,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795981323976390,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795981323986835,0,NULL,10803180578727827,1795981324086835,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795981324020556,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795981324020556,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795981324027138,0,NULL,10803180578768130,1795981324227138,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795981325094789,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795981325094789,'[]','{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795981325095753,0,NULL,1795981325167366,1795981325183113,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795981325207248,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795981325207248,'[]','{}','RUNNING',1,1,1000000,0,0,7,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795981325208273,0,NULL,1795981326208273,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795981325226329,9007199254740992,NULL,'[[2,1,0,true,"emulated",null,[],[]]]',2,1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795981325226329,'[]','{}','RUNNING',1,1,1000000,0,0,8,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795981325227557,0,NULL,1795981326227557,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795981325290087,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795981325290087,'[]','{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795981325291225,9,1795981326227557,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,1795981325305117,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795981325319564,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795981325319564,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795981325320789,9,1795981326227557,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795981325319564,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795981325319564,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795981325340267,60000000,NULL,'[[8,1,0,false,null,null,[],[]]]',8,1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795981325340267,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','29');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795981325373882');
INSERT INTO "meta" VALUES('last_id','13');
INSERT INTO "meta" VALUES('live','5');
INSERT INTO "meta" VALUES('next_seq','14');
INSERT INTO "meta" VALUES('planner','{"order":"","starts":9,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"used_in":{},"virtual":{},"longest_us":null,"unsettled":{}}');
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
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','[]','hostname','','','0.1.0','polling','','96ae3899-19c2-4938-92be-beeeaa0049bb','up','its fan','root',1795981325360658,'[]','[]');
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
INSERT INTO "reservation" VALUES('course',1795981355373556,1795981385373556,'["e1"]',0,'["ann"]','["physics"]',0);
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
INSERT INTO "submission" VALUES('root:9757b2242a5de00e02dfca974d176492','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:52d47a6dc57897ae2dd583bdb2783b5d','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:d0850dd2550c716988279384d7dbda2c','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:64e580eb95d140a6d6f9ca47d0b723dd','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:133904a92de84cda21bb2e2468436b2b','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:41ce4d913a33663f01481ad89db9ee75','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:f14188dea8fff9339d0a543f020bd8f6','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:83850206f10167e801ba1c51cf1f2f11','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:87b38ca2aab4dec50e03f1f7b09bd81f','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:d57ae72f6810053f601addd540daaf78','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:38733ad7dca856d5f968ac4887e8c607','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795981325392717,'root',NULL,NULL,NULL,NULL,'');
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
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us, size) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX notice_open ON notice (job_id, event) WHERE target != '';
COMMIT;
