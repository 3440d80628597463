PRAGMA application_id=1919775588;
PRAGMA user_version=29;
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
INSERT INTO "attempt" VALUES(1,1,1795971573475784,1795971573595509,'[["e1",1,0]]','exit',0,NULL,0.009698,12,'');
INSERT INTO "attempt" VALUES(2,1,1795971573490254,1795971573598661,'[["e1",1,0]]','exit',3,NULL,0.009298,12,'');
INSERT INTO "attempt" VALUES(3,1,1795971573500324,1795971573600762,'[["e1",1,0]]','exit',NULL,9,0.008832,12,'');
INSERT INTO "attempt" VALUES(4,1,1795971573518966,1795971574584785,'[["e1",1,0]]','limit',NULL,15,0.010532,12,'');
INSERT INTO "attempt" VALUES(5,1,1795971573535079,1795971573635079,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795971573544186,1795971573744186,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795971574603149,1795971574667129,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795971574675499,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795971574682056,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795971573475330,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795971573489724,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795971573499946,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795971573518560,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795971573534573,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795971573543865,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795971574602762,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795971574662511,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795971574675212,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795971574681706,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795971574714909,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795971574719763,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795971574726309,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795971574732173,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795971574737006,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795971574741877,'root','admin','socket, uid 0','reserve','reservation course','done');
INSERT INTO "audit" VALUES(17,1795971574746831,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,12,'{"version":"0.1.0","recipe":"rmsd-gentle","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"policies":[[],[],[]],"jobs":0,"next_seq":1,"of_backup":false,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"virtual":{},"longest_us":null,"unsettled":{}}}');
INSERT INTO "event" VALUES(2,2,1795971572765565,'no-op',NULL,12,'{}');
INSERT INTO "event" VALUES(3,3,1795971573461823,'node-up',NULL,12,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"96ae3899-19c2-4938-92be-beeeaa0049bb"}');
INSERT INTO "event" VALUES(4,3,1795971573461823,'node-up',NULL,12,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling","unable":"","boot_id":"96ae3899-19c2-4938-92be-beeeaa0049bb"}');
INSERT INTO "event" VALUES(5,4,1795971573475784,'submit',1,12,'{"id":1,"user":"root","name":"fine","submit_us":1795971573474249,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795971573475784,'start',1,12,'{"job":{"seq":1,"eligible_us":1795971573474249,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573475784,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828216776,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795971573490254,'submit',2,12,'{"id":2,"user":"root","name":"failed","submit_us":1795971573489175,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795971573490254,'start',2,12,'{"job":{"seq":2,"eligible_us":1795971573489175,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573490254,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828231246,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795971573500324,'submit',3,12,'{"id":3,"user":"root","name":"shot","submit_us":1795971573499374,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795971573500324,'start',3,12,'{"job":{"seq":3,"eligible_us":1795971573499374,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573500324,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828241316,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795971573518966,'submit',4,12,'{"id":4,"user":"root","name":"slow","submit_us":1795971573517969,"estimate_us":1000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"size":1,"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795971573518966,'start',4,12,'{"job":{"seq":4,"eligible_us":1795971573517969,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573518966,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795971574518966,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795971573535079,'submit',5,12,'{"id":5,"user":"ann","name":"timer","submit_us":1795971573531615,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795971573535079,'start',5,12,'{"job":{"seq":5,"eligible_us":1795971573531615,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573535079,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828276071,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795971573544186,'submit',6,12,'{"id":6,"user":"ann","name":"timer","submit_us":1795971573543326,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795971573544186,'start',6,12,'{"job":{"seq":6,"eligible_us":1795971573543326,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573544186,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828285178,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795971573570276,'launched',5,12,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795971573570276,'launched',6,12,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795971573600127,'exited',1,12,'{"attempt":1,"node":"e1","end_us":1795971573595509,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.009698,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(20,11,1795971573600127,'exited',2,12,'{"attempt":1,"node":"e1","end_us":1795971573598661,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.009298,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(21,11,1795971573600127,'launched',1,12,'{"attempt":1}');
INSERT INTO "event" VALUES(22,11,1795971573600127,'launched',3,12,'{"attempt":1}');
INSERT INTO "event" VALUES(23,11,1795971573600127,'launched',2,12,'{"attempt":1}');
INSERT INTO "event" VALUES(24,11,1795971573600127,'launched',4,12,'{"attempt":1}');
INSERT INTO "event" VALUES(25,11,1795971573600127,'end',1,12,'{"job":{"seq":1,"eligible_us":1795971573474249,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573475784,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828216776,"end_us":1795971573595509,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.009698,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(26,11,1795971573600127,'end',2,12,'{"job":{"seq":2,"eligible_us":1795971573489175,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573490254,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828231246,"end_us":1795971573598661,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.009298,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(27,12,1795971573608345,'exited',3,12,'{"attempt":1,"node":"e1","end_us":1795971573600762,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.008832,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(28,12,1795971573608345,'end',3,12,'{"job":{"seq":3,"eligible_us":1795971573499374,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573500324,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828241316,"end_us":1795971573600762,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.008832,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(29,13,1795971573636115,'exited',5,12,'{"attempt":1,"node":"e2","end_us":1795971573635079,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(30,13,1795971573636115,'end',5,12,'{"job":{"seq":5,"eligible_us":1795971573531615,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573535079,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828276071,"end_us":1795971573635079,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(31,14,1795971573745385,'exited',6,12,'{"attempt":1,"node":"e2","end_us":1795971573744186,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,14,1795971573745385,'end',6,12,'{"job":{"seq":6,"eligible_us":1795971573543326,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573544186,"suspended_us":0,"suspended_since_us":null,"expected_end_us":10803170828285178,"end_us":1795971573744186,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,15,1795971574518966,'correct',4,12,'{"job":{"seq":4,"eligible_us":1795971573517969,"conditions":[],"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573518966,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795971634518966,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,16,1795971574586112,'exited',4,12,'{"attempt":1,"node":"e1","end_us":1795971574584785,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.010532,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,16,1795971574586112,'end',4,12,'{"job":{"seq":4,"eligible_us":1795971573517969,"conditions":[],"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61000000,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971573518966,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795971634518966,"end_us":1795971574584785,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.010532,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,17,1795971574603149,'submit',7,12,'{"id":7,"user":"root","name":"cancelled","submit_us":1795971574601994,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"size":1,"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,17,1795971574603149,'start',7,12,'{"job":{"seq":7,"eligible_us":1795971574601994,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971574603149,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795971575603149,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,18,1795971574639280,'launched',7,12,'{"attempt":1}');
INSERT INTO "event" VALUES(39,19,1795971574662861,'cancel',7,12,'{}');
INSERT INTO "event" VALUES(40,19,1795971574662861,'stop',7,12,'{"job":{"seq":7,"eligible_us":1795971574601994,"conditions":[],"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971574603149,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795971574662861,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,20,1795971574667281,'exited',7,12,'{"attempt":1,"node":"e1","end_us":1795971574667129,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,20,1795971574667281,'end',7,12,'{"job":{"seq":7,"eligible_us":1795971574601994,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971574603149,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795971574662861,"end_us":1795971574667129,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,21,1795971574675499,'submit',8,12,'{"id":8,"user":"root","name":"long","submit_us":1795971574674693,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"size":3,"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,21,1795971574675499,'start',8,12,'{"job":{"seq":8,"eligible_us":1795971574674693,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971574675499,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795971575675499,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,22,1795971574682056,'submit',9,12,'{"id":9,"user":"root","name":"wide","submit_us":1795971574681315,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null,[],[]]],"size":2,"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,22,1795971574682056,'start',9,12,'{"job":{"seq":9,"eligible_us":1795971574681315,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":null,"reserved_rank":null,"reserved_us":null,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":1795971574682056,"suspended_us":0,"suspended_since_us":null,"expected_end_us":1795971575682056,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,23,1795971574708296,'launched',8,12,'{"attempt":1}');
INSERT INTO "event" VALUES(48,23,1795971574708296,'launched',9,12,'{"attempt":1}');
INSERT INTO "event" VALUES(49,24,1795971574715136,'submit',10,12,'{"id":10,"user":"root","name":"never","submit_us":1795971574714536,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,24,1795971574715136,'promise',10,12,'{"job":{"seq":10,"eligible_us":1795971574714536,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795971574715136,"reserved_rank":9,"reserved_us":1795971575682056,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,25,1795971574719973,'cancel',10,12,'{}');
INSERT INTO "event" VALUES(52,25,1795971574719973,'end',10,12,'{"job":{"seq":10,"eligible_us":1795971574714536,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795971574715136,"reserved_rank":9,"reserved_us":1795971575682056,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":1795971574719973,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,26,1795971574726579,'submit',11,12,'{"id":11,"user":"root","name":"waits","submit_us":1795971574725780,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,26,1795971574726579,'submit',12,12,'{"id":12,"user":"root","name":"waits","submit_us":1795971574725780,"estimate_us":9007199254740992,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"size":8,"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,26,1795971574726579,'promise',11,12,'{"job":{"seq":11,"eligible_us":1795971574725780,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795971574726579,"reserved_rank":9,"reserved_us":1795971575682056,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"survived_us":0,"start_us":null,"suspended_us":0,"suspended_since_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,27,1795971574732394,'submit',13,12,'{"id":13,"user":"root","name":"waits-too","submit_us":1795971574731882,"estimate_us":60000000,"deadline_us":null,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null,[],[]]],"size":8,"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,28,1795971574737106,'drain',NULL,12,'{"name":"e2","drain_reason":"its fan","drain_by":"root"}');
INSERT INTO "event" VALUES(58,29,1795971574741960,'reserve',NULL,12,'{"name":"course","start_us":1795971604741706,"end_us":1795971634741706,"nodes":["e1"],"cores":0,"users":["ann"],"accounts":["physics"],"is_maintenance":false,"ignores_jobs":true,"replaces":false}');
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
INSERT INTO "job" VALUES(1,'root','fine',1795971573474249,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795971573474249,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795971573475784,0,NULL,10803170828216776,1795971573595509,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.009698,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795971573489175,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795971573489175,'[]','{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795971573490254,0,NULL,10803170828231246,1795971573598661,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.009298,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795971573499374,9007199254740992,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795971573499374,'[]','{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795971573500324,0,NULL,10803170828241316,1795971573600762,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.008832,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795971573517969,1000000,NULL,'[[1,1,0,false,null,null,[],[]]]',1,1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795971573517969,'[]','{}','TIMEOUT',0,1,61000000,1,1,3,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795971573518966,0,NULL,1795971634518966,1795971574584785,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.010532,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795971573531615,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795971573531615,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795971573535079,0,NULL,10803170828276071,1795971573635079,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795971573543326,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795971573543326,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795971573544186,0,NULL,10803170828285178,1795971573744186,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795971574601994,9007199254740992,NULL,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795971574601994,'[]','{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795971574603149,0,NULL,1795971574662861,1795971574667129,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795971574674693,9007199254740992,NULL,'[[3,1,0,false,"emulated",null,[],[]]]',3,1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795971574674693,'[]','{}','RUNNING',1,1,1000000,0,0,7,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795971574675499,0,NULL,1795971575675499,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795971574681315,9007199254740992,NULL,'[[2,1,0,true,"emulated",null,[],[]]]',2,1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795971574681315,'[]','{}','RUNNING',1,1,1000000,0,0,8,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,1795971574682056,0,NULL,1795971575682056,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795971574714536,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795971574714536,'[]','{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795971574715136,9,1795971575682056,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,1795971574719973,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795971574725780,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795971574725780,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795971574726579,9,1795971575682056,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795971574725780,9007199254740992,NULL,'[[8,1,0,false,"emulated",null,[],[]]]',8,1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795971574725780,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795971574731882,60000000,NULL,'[[8,1,0,false,null,null,[],[]]]',8,1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795971574731882,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,0,NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','29');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795971574741960');
INSERT INTO "meta" VALUES('last_id','13');
INSERT INTO "meta" VALUES('live','5');
INSERT INTO "meta" VALUES('next_seq','14');
INSERT INTO "meta" VALUES('planner','{"order":"","starts":9,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"virtual":{},"longest_us":3464,"unsettled":{}}');
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
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','[]','hostname','','','0.1.0','polling','','96ae3899-19c2-4938-92be-beeeaa0049bb','up','its fan','root',1795971574737106,'[]','[]');
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
INSERT INTO "reservation" VALUES('course',1795971604741706,1795971634741706,'["e1"]',0,'["ann"]','["physics"]',0);
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
INSERT INTO "submission" VALUES('root:75d97f944d4839b1bbb44edb2d9b8a81','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:a6567bcb4654b23314de93847b172f9c','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:0e726f3947f984d71e9f04e8fc5faf1b','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:3d176a1269908b4238e0b25244ede46d','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:6f668abdd55765af836f914ce5638719','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:6b47925dfff4b9c9ea51a55bd5b20fa1','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:728eb9c574a3028a0ebfe407dd20bb4d','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:bcb7fac08b1025e397d345a8baa26283','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:da7f7eaa73ff703ee47db0e93f91ec2a','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:ce7505a5c17dce359bc2686085497d01','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:8864d0209f353828478ced136b244def','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795971574746774,'root',NULL,NULL,NULL,NULL,'');
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
INSERT INTO "virtual" VALUES(8,8,1795971574674693,3,9007199254740992,1795971574675499,NULL,1795971575675499);
INSERT INTO "virtual" VALUES(9,9,1795971574681315,2,9007199254740992,1795971574682056,NULL,1795971575682056);
INSERT INTO "virtual" VALUES(11,11,1795971574725780,8,9007199254740992,NULL,NULL,NULL);
INSERT INTO "virtual" VALUES(12,12,1795971574725780,8,9007199254740992,NULL,NULL,NULL);
INSERT INTO "virtual" VALUES(13,13,1795971574731882,8,60000000,NULL,NULL,NULL);
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
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX notice_open ON notice (job_id, event) WHERE target != '';
COMMIT;
