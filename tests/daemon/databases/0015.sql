PRAGMA application_id=1919775588;
PRAGMA user_version=15;
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
INSERT INTO "attempt" VALUES(1,1,1795502695187995,1795502695395254,'[["e1",1,0]]','exit',0,NULL,0.002674,10,'');
INSERT INTO "attempt" VALUES(2,1,1795502695190954,1795502695405098,'[["e1",1,0]]','exit',3,NULL,0.002163,10,'');
INSERT INTO "attempt" VALUES(3,1,1795502695193061,1795502695400413,'[["e1",1,0]]','exit',NULL,9,0.001824,10,'');
INSERT INTO "attempt" VALUES(4,1,1795502695195079,1795502696400121,'[["e1",1,0]]','limit',NULL,15,0.003372,10,'');
INSERT INTO "attempt" VALUES(5,1,1795502695197785,1795502695297785,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795502695199646,1795502695399646,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795502696419406,1795502696465736,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795502696471056,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795502696485875,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795502695187827,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795502695190876,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795502695192966,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795502695195021,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795502695197698,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795502695199596,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795502696419329,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795502696463522,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795502696470994,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795502696485818,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795502696530198,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795502696538119,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795502696549949,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795502696562271,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795502696570381,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795502696582429,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,2,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"drain_after":3,"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{}}}');
INSERT INTO "event" VALUES(2,2,1795502693669769,'no-op',NULL,2,'{}');
INSERT INTO "event" VALUES(3,3,1795502695179731,'node-up',NULL,2,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795502695179731,'node-up',NULL,2,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795502695187995,'submit',1,2,'{"id":1,"user":"root","name":"fine","submit_us":1795502695187604,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795502695187995,'start',1,2,'{"job":{"seq":1,"eligible_us":1795502695187604,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795502695187995,"reserved_rank":0,"reserved_us":1795502695187995,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695187995,"expected_end_us":10802701949928987,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795502695190954,'submit',2,2,'{"id":2,"user":"root","name":"failed","submit_us":1795502695190762,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795502695190954,'start',2,2,'{"job":{"seq":2,"eligible_us":1795502695190762,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795502695190954,"reserved_rank":1,"reserved_us":1795502695190954,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695190954,"expected_end_us":10802701949931946,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795502695193061,'submit',3,2,'{"id":3,"user":"root","name":"shot","submit_us":1795502695192843,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795502695193061,'start',3,2,'{"job":{"seq":3,"eligible_us":1795502695192843,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795502695193061,"reserved_rank":2,"reserved_us":1795502695193061,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695193061,"expected_end_us":10802701949934053,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795502695195079,'submit',4,2,'{"id":4,"user":"root","name":"slow","submit_us":1795502695194938,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795502695195079,'start',4,2,'{"job":{"seq":4,"eligible_us":1795502695194938,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795502695195079,"reserved_rank":3,"reserved_us":1795502695195079,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695195079,"expected_end_us":1795502696195079,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795502695197785,'submit',5,2,'{"id":5,"user":"ann","name":"timer","submit_us":1795502695197004,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795502695197785,'start',5,2,'{"job":{"seq":5,"eligible_us":1795502695197004,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795502695197785,"reserved_rank":4,"reserved_us":1795502695197785,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695197785,"expected_end_us":10802701949938777,"end_us":null,"allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795502695199646,'submit',6,2,'{"id":6,"user":"ann","name":"timer","submit_us":1795502695199507,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795502695199646,'start',6,2,'{"job":{"seq":6,"eligible_us":1795502695199507,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795502695199646,"reserved_rank":5,"reserved_us":1795502695199646,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695199646,"expected_end_us":10802701949940638,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795502695264775,'launched',5,2,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795502695264775,'launched',6,2,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795502695301279,'exited',5,2,'{"attempt":1,"node":"e2","end_us":1795502695297785,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(20,11,1795502695301279,'end',5,2,'{"job":{"seq":5,"eligible_us":1795502695197004,"conditions":[],"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795502695197785,"reserved_rank":4,"reserved_us":1795502695197785,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695197785,"expected_end_us":10802701949938777,"end_us":1795502695297785,"allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(21,12,1795502695396188,'exited',1,2,'{"attempt":1,"node":"e1","end_us":1795502695395254,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.002674,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(22,12,1795502695396188,'launched',1,2,'{"attempt":1}');
INSERT INTO "event" VALUES(23,12,1795502695396188,'end',1,2,'{"job":{"seq":1,"eligible_us":1795502695187604,"conditions":[],"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795502695187995,"reserved_rank":0,"reserved_us":1795502695187995,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695187995,"expected_end_us":10802701949928987,"end_us":1795502695395254,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.002674,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(24,13,1795502695418125,'exited',3,2,'{"attempt":1,"node":"e1","end_us":1795502695400413,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.001824,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(25,13,1795502695418125,'exited',6,2,'{"attempt":1,"node":"e2","end_us":1795502695399646,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(26,13,1795502695418125,'exited',2,2,'{"attempt":1,"node":"e1","end_us":1795502695405098,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.002163,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(27,13,1795502695418125,'launched',3,2,'{"attempt":1}');
INSERT INTO "event" VALUES(28,13,1795502695418125,'launched',2,2,'{"attempt":1}');
INSERT INTO "event" VALUES(29,13,1795502695418125,'launched',4,2,'{"attempt":1}');
INSERT INTO "event" VALUES(30,13,1795502695418125,'end',3,2,'{"job":{"seq":3,"eligible_us":1795502695192843,"conditions":[],"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795502695193061,"reserved_rank":2,"reserved_us":1795502695193061,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695193061,"expected_end_us":10802701949934053,"end_us":1795502695400413,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.001824,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(31,13,1795502695418125,'end',6,2,'{"job":{"seq":6,"eligible_us":1795502695199507,"conditions":[],"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795502695199646,"reserved_rank":5,"reserved_us":1795502695199646,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695199646,"expected_end_us":10802701949940638,"end_us":1795502695399646,"allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(32,13,1795502695418125,'end',2,2,'{"job":{"seq":2,"eligible_us":1795502695190762,"conditions":[],"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795502695190954,"reserved_rank":1,"reserved_us":1795502695190954,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695190954,"expected_end_us":10802701949931946,"end_us":1795502695405098,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.002163,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(33,14,1795502696196251,'correct',4,2,'{"job":{"seq":4,"eligible_us":1795502695194938,"conditions":[],"state":"RUNNING","live":true,"attempt":1,"prediction_us":61001172,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795502695195079,"reserved_rank":3,"reserved_us":1795502695195079,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695195079,"expected_end_us":1795502756196251,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,15,1795502696400961,'exited',4,2,'{"attempt":1,"node":"e1","end_us":1795502696400121,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.003372,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(35,15,1795502696400961,'end',4,2,'{"job":{"seq":4,"eligible_us":1795502695194938,"conditions":[],"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61001172,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795502695195079,"reserved_rank":3,"reserved_us":1795502695195079,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502695195079,"expected_end_us":1795502756196251,"end_us":1795502696400121,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.003372,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(36,16,1795502696419406,'submit',7,2,'{"id":7,"user":"root","name":"cancelled","submit_us":1795502696419211,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,16,1795502696419406,'start',7,2,'{"job":{"seq":7,"eligible_us":1795502696419211,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795502696419406,"reserved_rank":6,"reserved_us":1795502696419406,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502696419406,"expected_end_us":1795502697419406,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,17,1795502696447498,'launched',7,2,'{"attempt":1}');
INSERT INTO "event" VALUES(39,18,1795502696463573,'cancel',7,2,'{}');
INSERT INTO "event" VALUES(40,18,1795502696463573,'stop',7,2,'{"job":{"seq":7,"eligible_us":1795502696419211,"conditions":[],"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795502696419406,"reserved_rank":6,"reserved_us":1795502696419406,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502696419406,"expected_end_us":1795502697419406,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,19,1795502696465799,'exited',7,2,'{"attempt":1,"node":"e1","end_us":1795502696465736,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,19,1795502696465799,'end',7,2,'{"job":{"seq":7,"eligible_us":1795502696419211,"conditions":[],"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795502696419406,"reserved_rank":6,"reserved_us":1795502696419406,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502696419406,"expected_end_us":1795502697419406,"end_us":1795502696465736,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,20,1795502696471056,'submit',8,2,'{"id":8,"user":"root","name":"long","submit_us":1795502696470868,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,20,1795502696471056,'start',8,2,'{"job":{"seq":8,"eligible_us":1795502696470868,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795502696471056,"reserved_rank":7,"reserved_us":1795502696471056,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502696471056,"expected_end_us":1795502697471056,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,21,1795502696485875,'submit',9,2,'{"id":9,"user":"root","name":"wide","submit_us":1795502696485725,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,21,1795502696485875,'start',9,2,'{"job":{"seq":9,"eligible_us":1795502696485725,"conditions":[],"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795502696485875,"reserved_rank":8,"reserved_us":1795502696485875,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795502696485875,"expected_end_us":1795502697485875,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,22,1795502696511979,'launched',8,2,'{"attempt":1}');
INSERT INTO "event" VALUES(48,22,1795502696511979,'launched',9,2,'{"attempt":1}');
INSERT INTO "event" VALUES(49,23,1795502696530278,'submit',10,2,'{"id":10,"user":"root","name":"never","submit_us":1795502696530076,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,23,1795502696530278,'promise',10,2,'{"job":{"seq":10,"eligible_us":1795502696530076,"conditions":[],"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795502696530278,"reserved_rank":9,"reserved_us":1795502697485875,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,24,1795502696538180,'cancel',10,2,'{}');
INSERT INTO "event" VALUES(52,24,1795502696538180,'end',10,2,'{"job":{"seq":10,"eligible_us":1795502696530076,"conditions":[],"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795502696530278,"reserved_rank":9,"reserved_us":1795502697485875,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795502696538180,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,25,1795502696550034,'submit',11,2,'{"id":11,"user":"root","name":"waits","submit_us":1795502696549811,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,25,1795502696550034,'submit',12,2,'{"id":12,"user":"root","name":"waits","submit_us":1795502696549811,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,25,1795502696550034,'promise',11,2,'{"job":{"seq":11,"eligible_us":1795502696549811,"conditions":[],"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795502696550034,"reserved_rank":9,"reserved_us":1795502697485875,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,26,1795502696562357,'submit',13,2,'{"id":13,"user":"root","name":"waits-too","submit_us":1795502696562134,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,27,1795502696570451,'drain',NULL,2,'{"name":"e2","drain_reason":"its fan"}');
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
	seq INTEGER NOT NULL, 
	eligible_us BIGINT NOT NULL, 
	conditions JSON NOT NULL, 
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
INSERT INTO "job" VALUES(1,'root','fine',1795502695187604,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',1,1795502695187604,'[]','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795502695187995,0,1795502695187995,NULL,0,'[]','[]',NULL,0,1795502695187995,10802701949928987,1795502695395254,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.002674,10,'');
INSERT INTO "job" VALUES(2,'root','failed',1795502695190762,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',2,1795502695190762,'[]','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795502695190954,1,1795502695190954,NULL,0,'[]','[]',NULL,0,1795502695190954,10802701949931946,1795502695405098,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.002163,10,'');
INSERT INTO "job" VALUES(3,'root','shot',1795502695192843,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',3,1795502695192843,'[]','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795502695193061,2,1795502695193061,NULL,0,'[]','[]',NULL,0,1795502695193061,10802701949934053,1795502695400413,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.001824,10,'');
INSERT INTO "job" VALUES(4,'root','slow',1795502695194938,1000000,'[[1,1,0,false,null]]',1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',4,1795502695194938,'[]','TIMEOUT',0,1,61001172,1,1,3,0,NULL,1795502695195079,3,1795502695195079,NULL,0,'[]','[]',NULL,0,1795502695195079,1795502756196251,1795502696400121,'[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.003372,10,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795502695197004,9007199254740992,'[[1,1,0,false,"emulated"]]',1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',5,1795502695197004,'[]','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795502695197785,4,1795502695197785,NULL,0,'[]','[]',NULL,0,1795502695197785,10802701949938777,1795502695297785,'[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795502695199507,9007199254740992,'[[3,1,0,false,"emulated"]]',1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',6,1795502695199507,'[]','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795502695199646,5,1795502695199646,NULL,0,'[]','[]',NULL,0,1795502695199646,10802701949940638,1795502695399646,'[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795502696419211,9007199254740992,'[[1,1,0,false,"emulated"]]',1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',7,1795502696419211,'[]','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795502696419406,6,1795502696419406,NULL,0,'[]','[]',NULL,0,1795502696419406,1795502697419406,1795502696465736,'[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795502696470868,9007199254740992,'[[3,1,0,false,"emulated"]]',1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',8,1795502696470868,'[]','RUNNING',1,1,1000000,0,0,7,0,NULL,1795502696471056,7,1795502696471056,NULL,0,'[]','[]',NULL,0,1795502696471056,1795502697471056,NULL,'[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795502696485725,9007199254740992,'[[2,1,0,true,"emulated"]]',1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',9,1795502696485725,'[]','RUNNING',1,1,1000000,0,0,8,0,NULL,1795502696485875,8,1795502696485875,NULL,0,'[]','[]',NULL,0,1795502696485875,1795502697485875,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795502696530076,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',10,1795502696530076,'[]','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795502696530278,9,1795502697485875,NULL,0,'[]','[]',NULL,0,NULL,NULL,1795502696538180,'[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795502696549811,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',11,1795502696549811,'[]','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795502696550034,9,1795502697485875,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795502696549811,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',12,1795502696549811,'[]','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795502696562134,60000000,'[[8,1,0,false,null]]',1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',13,1795502696562134,'[]','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','27');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795502696570451');
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
	PRIMARY KEY (first_id)
)
 WITHOUT ROWID

;
INSERT INTO "submission" VALUES('root:f1928bc5d638a5934c684b9fdc52212d','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:cf7e17b865fb011b09a784fe68b303b1','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:e610e5eb2d3ed6afd45f8bd7a2e9d010','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:73bc5104483c2b312f438550936b2b58','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:13634746e31c3c6724656bd9f64ff5a3','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:3214de72fe17365f685399e0d7847f3c','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:fccb0e8c8af5d36db71bf41398bb0236','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:c250688919e88efad561645b57b5c882','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:f9dbd834cf6df394434862e7a6577f69','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:e39f03fdf7cb2fc59b1deb6c18da2843','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
INSERT INTO "submission" VALUES('root:6d0859b2e136b385e88c3324532940e1','fc9af16087fa91903726cfcc33a7ec8c',13,1);
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795502696582394,'root',NULL,NULL,NULL,NULL,'');
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
COMMIT;
