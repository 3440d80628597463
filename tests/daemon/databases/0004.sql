PRAGMA application_id=1919775588;
PRAGMA user_version=2;
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
INSERT INTO "attempt" VALUES(1,1,1795293772399767,1795293772533172,'[["e1",1,0]]','exit',0,NULL,0.001256,12,'');
INSERT INTO "attempt" VALUES(2,1,1795293772407023,1795293772579589,'[["e1",1,0]]','exit',3,NULL,0.001411,12,'');
INSERT INTO "attempt" VALUES(3,1,1795293772421961,1795293772588703,'[["e1",1,0]]','exit',NULL,9,0.00116,12,'');
INSERT INTO "attempt" VALUES(4,1,1795293772443657,1795293773612191,'[["e1",1,0]]','limit',NULL,15,0.002454,12,'');
INSERT INTO "attempt" VALUES(5,1,1795293772484158,1795293772584158,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795293772509291,1795293772709291,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795293773635201,1795293773707176,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795293773725396,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795293773741232,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,2,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{}}}');
INSERT INTO "event" VALUES(2,2,1795293772361653,'node-up',NULL,2,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(3,2,1795293772361653,'node-up',NULL,2,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","boot_id":"boot_id","agent_version":"0.1.0"}');
INSERT INTO "event" VALUES(4,3,1795293772399767,'submit',1,2,'{"id":1,"seq":1,"user":"root","name":"fine","submit_us":1795293772399486,"eligible_us":1795293772399486,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(5,3,1795293772399767,'start',1,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795293772399767,"reserved_rank":0,"reserved_us":1795293772399767,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772399767,"expected_end_us":10802493027140759,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(6,4,1795293772407023,'submit',2,2,'{"id":2,"seq":2,"user":"root","name":"failed","submit_us":1795293772406756,"eligible_us":1795293772406756,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(7,4,1795293772407023,'start',2,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795293772407023,"reserved_rank":1,"reserved_us":1795293772407023,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772407023,"expected_end_us":10802493027148015,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(8,5,1795293772421961,'submit',3,2,'{"id":3,"seq":3,"user":"root","name":"shot","submit_us":1795293772421798,"eligible_us":1795293772421798,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(9,5,1795293772421961,'start',3,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795293772421961,"reserved_rank":2,"reserved_us":1795293772421961,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772421961,"expected_end_us":10802493027162953,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(10,6,1795293772443657,'submit',4,2,'{"id":4,"seq":4,"user":"root","name":"slow","submit_us":1795293772443511,"eligible_us":1795293772443511,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(11,6,1795293772443657,'start',4,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795293772443657,"reserved_rank":3,"reserved_us":1795293772443657,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772443657,"expected_end_us":1795293773443657,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(12,7,1795293772484158,'submit',5,2,'{"id":5,"seq":5,"user":"ann","name":"timer","submit_us":1795293772483923,"eligible_us":1795293772483923,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(13,7,1795293772484158,'start',5,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795293772484158,"reserved_rank":4,"reserved_us":1795293772484158,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772484158,"expected_end_us":10802493027225150,"end_us":null,"allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(14,8,1795293772509291,'submit',6,2,'{"id":6,"seq":6,"user":"ann","name":"timer","submit_us":1795293772509062,"eligible_us":1795293772509062,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(15,8,1795293772509291,'start',6,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795293772509291,"reserved_rank":5,"reserved_us":1795293772509291,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772509291,"expected_end_us":10802493027250283,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(16,9,1795293772537234,'exited',1,2,'{"attempt":1,"node":"e1","end_us":1795293772533172,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001256,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(17,9,1795293772537234,'launched',5,2,'{"attempt":1}');
INSERT INTO "event" VALUES(18,9,1795293772537234,'launched',1,2,'{"attempt":1}');
INSERT INTO "event" VALUES(19,9,1795293772537234,'end',1,2,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795293772399767,"reserved_rank":0,"reserved_us":1795293772399767,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772399767,"expected_end_us":10802493027140759,"end_us":1795293772533172,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001256,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(20,10,1795293772589338,'exited',2,2,'{"attempt":1,"node":"e1","end_us":1795293772579589,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.001411,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(21,10,1795293772589338,'exited',3,2,'{"attempt":1,"node":"e1","end_us":1795293772588703,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.00116,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(22,10,1795293772589338,'exited',5,2,'{"attempt":1,"node":"e2","end_us":1795293772584158,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(23,10,1795293772589338,'launched',6,2,'{"attempt":1}');
INSERT INTO "event" VALUES(24,10,1795293772589338,'launched',2,2,'{"attempt":1}');
INSERT INTO "event" VALUES(25,10,1795293772589338,'launched',3,2,'{"attempt":1}');
INSERT INTO "event" VALUES(26,10,1795293772589338,'launched',4,2,'{"attempt":1}');
INSERT INTO "event" VALUES(27,10,1795293772589338,'end',2,2,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795293772407023,"reserved_rank":1,"reserved_us":1795293772407023,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772407023,"expected_end_us":10802493027148015,"end_us":1795293772579589,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.001411,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(28,10,1795293772589338,'end',3,2,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795293772421961,"reserved_rank":2,"reserved_us":1795293772421961,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772421961,"expected_end_us":10802493027162953,"end_us":1795293772588703,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.00116,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(29,10,1795293772589338,'end',5,2,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795293772484158,"reserved_rank":4,"reserved_us":1795293772484158,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772484158,"expected_end_us":10802493027225150,"end_us":1795293772584158,"allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(30,11,1795293772714927,'exited',6,2,'{"attempt":1,"node":"e2","end_us":1795293772709291,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(31,11,1795293772714927,'end',6,2,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795293772509291,"reserved_rank":5,"reserved_us":1795293772509291,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772509291,"expected_end_us":10802493027250283,"end_us":1795293772709291,"allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(32,12,1795293773444381,'correct',4,2,'{"job":{"state":"RUNNING","live":true,"attempt":1,"prediction_us":61000724,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795293772443657,"reserved_rank":3,"reserved_us":1795293772443657,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772443657,"expected_end_us":1795293833444381,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,13,1795293773612930,'exited',4,2,'{"attempt":1,"node":"e1","end_us":1795293773612191,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.002454,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(34,13,1795293773612930,'end',4,2,'{"job":{"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61000724,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795293772443657,"reserved_rank":3,"reserved_us":1795293772443657,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293772443657,"expected_end_us":1795293833444381,"end_us":1795293773612191,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.002454,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(35,14,1795293773635201,'submit',7,2,'{"id":7,"seq":7,"user":"root","name":"cancelled","submit_us":1795293773635033,"eligible_us":1795293773635033,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(36,14,1795293773635201,'start',7,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795293773635201,"reserved_rank":6,"reserved_us":1795293773635201,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293773635201,"expected_end_us":1795293774635201,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(37,15,1795293773673186,'launched',7,2,'{"attempt":1}');
INSERT INTO "event" VALUES(38,16,1795293773702520,'cancel',7,2,'{}');
INSERT INTO "event" VALUES(39,16,1795293773702520,'stop',7,2,'{"job":{"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795293773635201,"reserved_rank":6,"reserved_us":1795293773635201,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293773635201,"expected_end_us":1795293774635201,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(40,17,1795293773707244,'exited',7,2,'{"attempt":1,"node":"e1","end_us":1795293773707176,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(41,17,1795293773707244,'end',7,2,'{"job":{"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795293773635201,"reserved_rank":6,"reserved_us":1795293773635201,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293773635201,"expected_end_us":1795293774635201,"end_us":1795293773707176,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(42,18,1795293773725396,'submit',8,2,'{"id":8,"seq":8,"user":"root","name":"long","submit_us":1795293773725179,"eligible_us":1795293773725179,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(43,18,1795293773725396,'start',8,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795293773725396,"reserved_rank":7,"reserved_us":1795293773725396,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293773725396,"expected_end_us":1795293774725396,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(44,19,1795293773741232,'submit',9,2,'{"id":9,"seq":9,"user":"root","name":"wide","submit_us":1795293773741066,"eligible_us":1795293773741066,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(45,19,1795293773741232,'start',9,2,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795293773741232,"reserved_rank":8,"reserved_us":1795293773741232,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795293773741232,"expected_end_us":1795293774741232,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(46,20,1795293773763764,'launched',8,2,'{"attempt":1}');
INSERT INTO "event" VALUES(47,20,1795293773763764,'launched',9,2,'{"attempt":1}');
INSERT INTO "event" VALUES(48,21,1795293773804831,'submit',10,2,'{"id":10,"seq":10,"user":"root","name":"never","submit_us":1795293773804685,"eligible_us":1795293773804685,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(49,21,1795293773804831,'promise',10,2,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795293773804831,"reserved_rank":9,"reserved_us":1795293774741232,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(50,22,1795293773817066,'cancel',10,2,'{}');
INSERT INTO "event" VALUES(51,22,1795293773817066,'end',10,2,'{"job":{"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795293773804831,"reserved_rank":9,"reserved_us":1795293774741232,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795293773817066,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(52,23,1795293773820022,'submit',11,2,'{"id":11,"seq":11,"user":"root","name":"waits","submit_us":1795293773819878,"eligible_us":1795293773819878,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(53,23,1795293773820022,'submit',12,2,'{"id":12,"seq":12,"user":"root","name":"waits","submit_us":1795293773819878,"eligible_us":1795293773819878,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,23,1795293773820022,'promise',11,2,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795293773820022,"reserved_rank":9,"reserved_us":1795293774741232,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"owes":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(55,24,1795293773832948,'submit',13,2,'{"id":13,"seq":13,"user":"root","name":"waits-too","submit_us":1795293773832758,"eligible_us":1795293773832758,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(56,25,1795293773842084,'drain',NULL,2,'{"name":"e2","drain_reason":"its fan"}');
CREATE TABLE job (
	id INTEGER NOT NULL, 
	array_id INTEGER, 
	array_index INTEGER, 
	seq INTEGER NOT NULL, 
	user VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	live BOOLEAN NOT NULL, 
	state VARCHAR NOT NULL, 
	submit_us BIGINT NOT NULL, 
	eligible_us BIGINT NOT NULL, 
	estimate_us BIGINT NOT NULL, 
	requeue BOOLEAN NOT NULL, 
	restartable BOOLEAN NOT NULL, 
	request JSON NOT NULL, 
	details JSON NOT NULL, 
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
INSERT INTO "job" VALUES(1,NULL,NULL,1,'root','fine',0,'COMPLETED',1795293772399486,1795293772399486,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"fine","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,0,0,NULL,1795293772399767,0,1795293772399767,NULL,0,NULL,0,1795293772399767,10802493027140759,1795293772533172,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.001256,12,'');
INSERT INTO "job" VALUES(2,NULL,NULL,2,'root','failed',0,'FAILED',1795293772406756,1795293772406756,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',1,9007199254740992,0,0,1,0,NULL,1795293772407023,1,1795293772407023,NULL,0,NULL,0,1795293772407023,10802493027148015,1795293772579589,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.001411,12,'');
INSERT INTO "job" VALUES(3,NULL,NULL,3,'root','shot',0,'FAILED',1795293772421798,1795293772421798,9007199254740992,1,1,'[[1,1,0,false,null]]','{"name":"shot","workdir":"/","stdout":"/dev/null"}',1,9007199254740992,0,0,2,0,NULL,1795293772421961,2,1795293772421961,NULL,0,NULL,0,1795293772421961,10802493027162953,1795293772588703,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.00116,12,'');
INSERT INTO "job" VALUES(4,NULL,NULL,4,'root','slow',0,'TIMEOUT',1795293772443511,1795293772443511,1000000,1,1,'[[1,1,0,false,null]]','{"name":"slow","workdir":"/","stdout":"/dev/null"}',1,61000724,1,1,3,0,NULL,1795293772443657,3,1795293772443657,NULL,0,NULL,0,1795293772443657,1795293833444381,1795293773612191,'[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.002454,12,'');
INSERT INTO "job" VALUES(5,NULL,NULL,5,'ann','timer',0,'COMPLETED',1795293772483923,1795293772483923,9007199254740992,1,1,'[[1,1,0,false,"emulated"]]','{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',1,9007199254740992,0,0,4,0,NULL,1795293772484158,4,1795293772484158,NULL,0,NULL,0,1795293772484158,10802493027225150,1795293772584158,'[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,NULL,NULL,6,'ann','timer',0,'COMPLETED',1795293772509062,1795293772509062,9007199254740992,1,1,'[[3,1,0,false,"emulated"]]','{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',1,9007199254740992,0,0,5,0,NULL,1795293772509291,5,1795293772509291,NULL,0,NULL,0,1795293772509291,10802493027250283,1795293772709291,'[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,NULL,NULL,7,'root','cancelled',0,'CANCELLED',1795293773635033,1795293773635033,9007199254740992,1,1,'[[1,1,0,false,"emulated"]]','{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,6,0,NULL,1795293773635201,6,1795293773635201,NULL,0,NULL,0,1795293773635201,1795293774635201,1795293773707176,'[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,NULL,NULL,8,'root','long',1,'RUNNING',1795293773725179,1795293773725179,9007199254740992,1,1,'[[3,1,0,false,"emulated"]]','{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,7,0,NULL,1795293773725396,7,1795293773725396,NULL,0,NULL,0,1795293773725396,1795293774725396,NULL,'[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,NULL,NULL,9,'root','wide',1,'RUNNING',1795293773741066,1795293773741066,9007199254740992,1,1,'[[2,1,0,true,"emulated"]]','{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',1,1000000,0,0,8,0,NULL,1795293773741232,8,1795293773741232,NULL,0,NULL,0,1795293773741232,1795293774741232,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,NULL,NULL,10,'root','never',0,'CANCELLED',1795293773804685,1795293773804685,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,1795293773804831,9,1795293774741232,NULL,0,NULL,0,NULL,NULL,1795293773817066,'[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,NULL,NULL,11,'root','waits',1,'PENDING',1795293773819878,1795293773819878,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,1795293773820022,9,1795293774741232,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,NULL,NULL,12,'root','waits',1,'PENDING',1795293773819878,1795293773819878,9007199254740992,1,1,'[[8,1,0,false,"emulated"]]','{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,NULL,NULL,13,'root','waits-too',1,'PENDING',1795293773832758,1795293773832758,60000000,1,1,'[[8,1,0,false,null]]','{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','25');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795293773842084');
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
	boot_id VARCHAR NOT NULL, 
	agent_version VARCHAR NOT NULL, 
	link VARCHAR NOT NULL, 
	drain_reason VARCHAR, 
	PRIMARY KEY (name)
);
INSERT INTO "node" VALUES('e1','agent_id','emulated',4,8192,'["emulated"]','hostname','','','boot_id','0.1.0','up',NULL);
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','hostname','','','boot_id','0.1.0','up','its fan');
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
INSERT INTO "submission" VALUES('root:12aa94e0308e09cf8c5d0a4a8ca99a46','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:1632cb799dbceb7886a9284bac136335','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:274961365c03dc4c6f37006f43ec384c','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:2e55d14c6c6b11646fe1a2a85a468dc2','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:7ed42e75e4aef2a03de6884556b0caeb','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:95fb778874953545b2f5413b5b4a5cd0','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:b86d8562b1ed2c86d58f91c8db6b3727','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:d4ab9435c59fd551592fd14a8aed38b7','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:daf38a65c5388bc08f607c2cbe5c7f08','fc9af16087fa91903726cfcc33a7ec8c',13,1);
INSERT INTO "submission" VALUES('root:ec012f763ea8723e2cb6d234ea30327f','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:f1daa11336e661b23ec20c189ec04945','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_user ON job (user, seq);
COMMIT;
