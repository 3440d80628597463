PRAGMA application_id=1919775588;
PRAGMA user_version=13;
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
INSERT INTO "attempt" VALUES(1,1,1795500892895442,1795500893136744,'[["e1",1,0]]','exit',0,NULL,0.001982,10,'');
INSERT INTO "attempt" VALUES(2,1,1795500892914915,1795500893160817,'[["e1",1,0]]','exit',3,NULL,0.001798,9,'');
INSERT INTO "attempt" VALUES(3,1,1795500893150669,1795500893180608,'[["e1",1,0]]','exit',NULL,9,0.001818,9,'');
INSERT INTO "attempt" VALUES(4,1,1795500893170705,1795500894197368,'[["e1",1,0]]','limit',NULL,15,0.003041,9,'');
INSERT INTO "attempt" VALUES(5,1,1795500893193004,1795500893293004,'[["e1",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795500893195091,1795500893395091,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795500894217149,1795500894283341,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795500894303964,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795500894317955,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795500892895310,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795500892914788,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795500893150577,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795500893170619,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795500893191994,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795500893195030,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795500894217071,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795500894260971,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795500894303882,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795500894317892,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795500894357104,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795500894377040,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795500894395529,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795500894411324,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795500894418247,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795500894437050,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,1,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{}}}');
INSERT INTO "event" VALUES(2,2,1795500891684889,'no-op',NULL,1,'{}');
INSERT INTO "event" VALUES(3,3,1795500892878669,'node-up',NULL,1,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795500892878669,'node-up',NULL,1,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795500892895442,'submit',1,1,'{"id":1,"seq":1,"user":"root","name":"fine","submit_us":1795500892895072,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795500892895442,'start',1,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795500892895442,"reserved_rank":0,"reserved_us":1795500892895442,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500892895442,"expected_end_us":10802700147636434,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795500892914915,'submit',2,1,'{"id":2,"seq":2,"user":"root","name":"failed","submit_us":1795500892914571,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795500892914915,'start',2,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795500892914915,"reserved_rank":1,"reserved_us":1795500892914915,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500892914915,"expected_end_us":10802700147655907,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795500893145095,'exited',1,1,'{"attempt":1,"node":"e1","end_us":1795500893136744,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001982,"max_rss_mib":10,"message":""}');
INSERT INTO "event" VALUES(10,6,1795500893145095,'launched',1,1,'{"attempt":1}');
INSERT INTO "event" VALUES(11,6,1795500893145095,'end',1,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795500892895442,"reserved_rank":0,"reserved_us":1795500892895442,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500892895442,"expected_end_us":10802700147636434,"end_us":1795500893136744,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.001982,"max_rss_mib":10,"message":""}}');
INSERT INTO "event" VALUES(12,7,1795500893150669,'submit',3,1,'{"id":3,"seq":3,"user":"root","name":"shot","submit_us":1795500893150436,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(13,7,1795500893150669,'start',3,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795500893150669,"reserved_rank":2,"reserved_us":1795500893150669,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500893150669,"expected_end_us":10802700147891661,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(14,8,1795500893161631,'exited',2,1,'{"attempt":1,"node":"e1","end_us":1795500893160817,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.001798,"max_rss_mib":9,"message":""}');
INSERT INTO "event" VALUES(15,8,1795500893161631,'launched',2,1,'{"attempt":1}');
INSERT INTO "event" VALUES(16,8,1795500893161631,'end',2,1,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795500892914915,"reserved_rank":1,"reserved_us":1795500892914915,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500892914915,"expected_end_us":10802700147655907,"end_us":1795500893160817,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.001798,"max_rss_mib":9,"message":""}}');
INSERT INTO "event" VALUES(17,9,1795500893170705,'submit',4,1,'{"id":4,"seq":4,"user":"root","name":"slow","submit_us":1795500893170487,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(18,9,1795500893170705,'start',4,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795500893170705,"reserved_rank":3,"reserved_us":1795500893170705,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500893170705,"expected_end_us":1795500894170705,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(19,10,1795500893181191,'exited',3,1,'{"attempt":1,"node":"e1","end_us":1795500893180608,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.001818,"max_rss_mib":9,"message":""}');
INSERT INTO "event" VALUES(20,10,1795500893181191,'launched',3,1,'{"attempt":1}');
INSERT INTO "event" VALUES(21,10,1795500893181191,'end',3,1,'{"job":{"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795500893150669,"reserved_rank":2,"reserved_us":1795500893150669,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500893150669,"expected_end_us":10802700147891661,"end_us":1795500893180608,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.001818,"max_rss_mib":9,"message":""}}');
INSERT INTO "event" VALUES(22,11,1795500893193004,'submit',5,1,'{"id":5,"seq":5,"user":"ann","name":"timer","submit_us":1795500893191360,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(23,11,1795500893193004,'start',5,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795500893193004,"reserved_rank":4,"reserved_us":1795500893193004,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500893193004,"expected_end_us":10802700147933996,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(24,12,1795500893195091,'submit',6,1,'{"id":6,"seq":6,"user":"ann","name":"timer","submit_us":1795500893194915,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(25,12,1795500893195091,'start',6,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795500893195091,"reserved_rank":5,"reserved_us":1795500893195091,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500893195091,"expected_end_us":10802700147936083,"end_us":null,"allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(26,13,1795500893224686,'launched',5,1,'{"attempt":1}');
INSERT INTO "event" VALUES(27,13,1795500893224686,'launched',6,1,'{"attempt":1}');
INSERT INTO "event" VALUES(28,14,1795500893257009,'launched',4,1,'{"attempt":1}');
INSERT INTO "event" VALUES(29,15,1795500893296942,'exited',5,1,'{"attempt":1,"node":"e1","end_us":1795500893293004,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(30,15,1795500893296942,'end',5,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795500893193004,"reserved_rank":4,"reserved_us":1795500893193004,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500893193004,"expected_end_us":10802700147933996,"end_us":1795500893293004,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(31,16,1795500893395680,'exited',6,1,'{"attempt":1,"node":"e2","end_us":1795500893395091,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,16,1795500893395680,'end',6,1,'{"job":{"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795500893195091,"reserved_rank":5,"reserved_us":1795500893195091,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500893195091,"expected_end_us":10802700147936083,"end_us":1795500893395091,"allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,17,1795500894174842,'correct',4,1,'{"job":{"state":"RUNNING","live":true,"attempt":1,"prediction_us":61004137,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795500893170705,"reserved_rank":3,"reserved_us":1795500893170705,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500893170705,"expected_end_us":1795500954174842,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,18,1795500894197964,'exited',4,1,'{"attempt":1,"node":"e1","end_us":1795500894197368,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.003041,"max_rss_mib":9,"message":""}');
INSERT INTO "event" VALUES(35,18,1795500894197964,'end',4,1,'{"job":{"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61004137,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795500893170705,"reserved_rank":3,"reserved_us":1795500893170705,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500893170705,"expected_end_us":1795500954174842,"end_us":1795500894197368,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.003041,"max_rss_mib":9,"message":""}}');
INSERT INTO "event" VALUES(36,19,1795500894217149,'submit',7,1,'{"id":7,"seq":7,"user":"root","name":"cancelled","submit_us":1795500894216953,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated"]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,19,1795500894217149,'start',7,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795500894217149,"reserved_rank":6,"reserved_us":1795500894217149,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500894217149,"expected_end_us":1795500895217149,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,20,1795500894259110,'launched',7,1,'{"attempt":1}');
INSERT INTO "event" VALUES(39,21,1795500894271219,'cancel',7,1,'{}');
INSERT INTO "event" VALUES(40,21,1795500894271219,'stop',7,1,'{"job":{"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795500894217149,"reserved_rank":6,"reserved_us":1795500894217149,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500894217149,"expected_end_us":1795500895217149,"end_us":null,"allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,22,1795500894283422,'exited',7,1,'{"attempt":1,"node":"e1","end_us":1795500894283341,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,22,1795500894283422,'end',7,1,'{"job":{"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795500894217149,"reserved_rank":6,"reserved_us":1795500894217149,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500894217149,"expected_end_us":1795500895217149,"end_us":1795500894283341,"allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,23,1795500894303964,'submit',8,1,'{"id":8,"seq":8,"user":"root","name":"long","submit_us":1795500894303741,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated"]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,23,1795500894303964,'start',8,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795500894303964,"reserved_rank":7,"reserved_us":1795500894303964,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500894303964,"expected_end_us":1795500895303964,"end_us":null,"allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,24,1795500894317955,'submit',9,1,'{"id":9,"seq":9,"user":"root","name":"wide","submit_us":1795500894317797,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated"]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(46,24,1795500894317955,'start',9,1,'{"job":{"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795500894317955,"reserved_rank":8,"reserved_us":1795500894317955,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":1795500894317955,"expected_end_us":1795500895317955,"end_us":null,"allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(47,25,1795500894343093,'launched',8,1,'{"attempt":1}');
INSERT INTO "event" VALUES(48,25,1795500894343093,'launched',9,1,'{"attempt":1}');
INSERT INTO "event" VALUES(49,26,1795500894357172,'submit',10,1,'{"id":10,"seq":10,"user":"root","name":"never","submit_us":1795500894357002,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,26,1795500894357172,'promise',10,1,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795500894357172,"reserved_rank":9,"reserved_us":1795500895317955,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,27,1795500894377094,'cancel',10,1,'{}');
INSERT INTO "event" VALUES(52,27,1795500894377094,'end',10,1,'{"job":{"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795500894357172,"reserved_rank":9,"reserved_us":1795500895317955,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795500894377094,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,28,1795500894395604,'submit',11,1,'{"id":11,"seq":11,"user":"root","name":"waits","submit_us":1795500894395412,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,28,1795500894395604,'submit',12,1,'{"id":12,"seq":12,"user":"root","name":"waits","submit_us":1795500894395412,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated"]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,28,1795500894395604,'promise',11,1,'{"job":{"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795500894395604,"reserved_rank":9,"reserved_us":1795500895317955,"promoted_us":null,"tried":false,"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,29,1795500894411393,'submit',13,1,'{"id":13,"seq":13,"user":"root","name":"waits-too","submit_us":1795500894411215,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,30,1795500894418308,'drain',NULL,1,'{"name":"e2","drain_reason":"its fan"}');
CREATE TABLE job (
	id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	user VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	submit_us BIGINT NOT NULL, 
	estimate_us BIGINT NOT NULL, 
	request JSON NOT NULL, 
	requeue BOOLEAN NOT NULL, 
	restartable BOOLEAN NOT NULL, 
	details JSON NOT NULL, 
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
INSERT INTO "job" VALUES(1,1,'root','fine',1795500892895072,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795500892895442,0,1795500892895442,NULL,0,NULL,0,1795500892895442,10802700147636434,1795500893136744,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.001982,10,'');
INSERT INTO "job" VALUES(2,2,'root','failed',1795500892914571,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795500892914915,1,1795500892914915,NULL,0,NULL,0,1795500892914915,10802700147655907,1795500893160817,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.001798,9,'');
INSERT INTO "job" VALUES(3,3,'root','shot',1795500893150436,9007199254740992,'[[1,1,0,false,null]]',1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795500893150669,2,1795500893150669,NULL,0,NULL,0,1795500893150669,10802700147891661,1795500893180608,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.001818,9,'');
INSERT INTO "job" VALUES(4,4,'root','slow',1795500893170487,1000000,'[[1,1,0,false,null]]',1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}','TIMEOUT',0,1,61004137,1,1,3,0,NULL,1795500893170705,3,1795500893170705,NULL,0,NULL,0,1795500893170705,1795500954174842,1795500894197368,'[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.003041,9,'');
INSERT INTO "job" VALUES(5,5,'ann','timer',1795500893191360,9007199254740992,'[[1,1,0,false,"emulated"]]',1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795500893193004,4,1795500893193004,NULL,0,NULL,0,1795500893193004,10802700147933996,1795500893293004,'[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,6,'ann','timer',1795500893194915,9007199254740992,'[[3,1,0,false,"emulated"]]',1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795500893195091,5,1795500893195091,NULL,0,NULL,0,1795500893195091,10802700147936083,1795500893395091,'[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,7,'root','cancelled',1795500894216953,9007199254740992,'[[1,1,0,false,"emulated"]]',1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795500894217149,6,1795500894217149,NULL,0,NULL,0,1795500894217149,1795500895217149,1795500894283341,'[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,8,'root','long',1795500894303741,9007199254740992,'[[3,1,0,false,"emulated"]]',1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}','RUNNING',1,1,1000000,0,0,7,0,NULL,1795500894303964,7,1795500894303964,NULL,0,NULL,0,1795500894303964,1795500895303964,NULL,'[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,9,'root','wide',1795500894317797,9007199254740992,'[[2,1,0,true,"emulated"]]',1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}','RUNNING',1,1,1000000,0,0,8,0,NULL,1795500894317955,8,1795500894317955,NULL,0,NULL,0,1795500894317955,1795500895317955,NULL,'[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,10,'root','never',1795500894357002,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795500894357172,9,1795500895317955,NULL,0,NULL,0,NULL,NULL,1795500894377094,'[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,11,'root','waits',1795500894395412,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795500894395604,9,1795500895317955,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,12,'root','waits',1795500894395412,9007199254740992,'[[8,1,0,false,"emulated"]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,13,'root','waits-too',1795500894411215,60000000,'[[8,1,0,false,null]]',1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,NULL,0,NULL,NULL,NULL,'[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','30');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795500894418308');
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
	PRIMARY KEY (name)
);
INSERT INTO "node" VALUES('e1','agent_id','emulated',4,8192,'["emulated"]','hostname','','','0.1.0','polling','up',NULL);
INSERT INTO "node" VALUES('e2','agent_id','emulated',4,8192,'["emulated"]','hostname','','','0.1.0','polling','up','its fan');
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
INSERT INTO "submission" VALUES('root:14807dea7f2d4488c6fed2b9d3ad3e86','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1);
INSERT INTO "submission" VALUES('root:88103c133dc5cace5e02784b7407c454','dcf4487c16a5dc69f0271810b93c2d6a',2,1);
INSERT INTO "submission" VALUES('root:21c44f043868b78526c2120c7b22a3ea','4d3151f9499af7a0287d3c49565a6804',3,1);
INSERT INTO "submission" VALUES('root:16bf41751ddcf3a9415d3bd4b98dd815','467bbec961f57b76e0add558bef6cb8d',4,1);
INSERT INTO "submission" VALUES('root:166655a3512f06c0c27710e19e6e42af','a0722115ff466583429253143ca24bbf',5,1);
INSERT INTO "submission" VALUES('root:529bee78b0e16623c6e438e040a9f0ae','9c73e259f236690da9d69850da3bee34',6,1);
INSERT INTO "submission" VALUES('root:632a5404c882de7e125352cfef20f73a','620b0a89a7871ea4184728efbaa8ffcf',7,1);
INSERT INTO "submission" VALUES('root:bef26922cee5fdc4cd7bb9ad6a4c0062','a03626b7437f3c25c2bdfa4bed420d25',8,1);
INSERT INTO "submission" VALUES('root:5848b92d38a9ab795c35d4b7e24c53d8','ea7c608977a87d390c91c7eb00a67c02',9,1);
INSERT INTO "submission" VALUES('root:2e8a03f63ae59ed24deb85ec87cb8234','3f7ef8f733801451b24846c0932b46c4',10,1);
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2);
INSERT INTO "submission" VALUES('root:3fd4c4fdce600af9011367c2d749fa58','fc9af16087fa91903726cfcc33a7ec8c',13,1);
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795500894437020,'root',NULL,NULL,NULL,NULL,'');
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
CREATE INDEX job_live ON job (id) WHERE live;
COMMIT;
