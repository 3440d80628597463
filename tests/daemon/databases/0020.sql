PRAGMA application_id=1919775588;
PRAGMA user_version=20;
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
INSERT INTO "attempt" VALUES(1,1,1795643295717851,1795643295862138,'[["e1",1,0]]','exit',0,NULL,0.004566,12,'');
INSERT INTO "attempt" VALUES(2,1,1795643295744713,1795643295878796,'[["e1",1,0]]','exit',3,NULL,0.004413,12,'');
INSERT INTO "attempt" VALUES(3,1,1795643295757856,1795643295875499,'[["e1",1,0]]','exit',NULL,9,0.004662,12,'');
INSERT INTO "attempt" VALUES(4,1,1795643295768926,1795643296858219,'[["e1",1,0]]','limit',NULL,15,0.00504,12,'');
INSERT INTO "attempt" VALUES(5,1,1795643295775164,1795643295875164,'[["e2",1,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(6,1,1795643295778137,1795643295978137,'[["e2",3,0]]','exit',0,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(7,1,1795643296928387,1795643296997868,'[["e1",1,0]]','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "attempt" VALUES(8,1,1795643297033568,NULL,'[["e1",3,0]]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "attempt" VALUES(9,1,1795643297047719,NULL,'[["e1",1,0],["e2",1,0]]',NULL,NULL,NULL,NULL,NULL,'');
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
INSERT INTO "audit" VALUES(1,1795643295717683,'root','admin','socket, uid 0','submit','job 1','done');
INSERT INTO "audit" VALUES(2,1795643295744505,'root','admin','socket, uid 0','submit','job 2','done');
INSERT INTO "audit" VALUES(3,1795643295757731,'root','admin','socket, uid 0','submit','job 3','done');
INSERT INTO "audit" VALUES(4,1795643295768793,'root','admin','socket, uid 0','submit','job 4','done');
INSERT INTO "audit" VALUES(5,1795643295775039,'root','admin','socket, uid 0','submit','job 5 of ann','done');
INSERT INTO "audit" VALUES(6,1795643295778042,'root','admin','socket, uid 0','submit','job 6 of ann','done');
INSERT INTO "audit" VALUES(7,1795643296928263,'root','admin','socket, uid 0','submit','job 7','done');
INSERT INTO "audit" VALUES(8,1795643296975390,'root','admin','socket, uid 0','cancel','job 7 of root','done');
INSERT INTO "audit" VALUES(9,1795643297033449,'root','admin','socket, uid 0','submit','job 8','done');
INSERT INTO "audit" VALUES(10,1795643297047621,'root','admin','socket, uid 0','submit','job 9','done');
INSERT INTO "audit" VALUES(11,1795643297089638,'root','admin','socket, uid 0','submit','job 10','done');
INSERT INTO "audit" VALUES(12,1795643297118973,'root','admin','socket, uid 0','cancel','job 10 of root','done');
INSERT INTO "audit" VALUES(13,1795643297141656,'root','admin','socket, uid 0','submit','jobs 11-12','done');
INSERT INTO "audit" VALUES(14,1795643297165651,'root','admin','socket, uid 0','submit','job 13','done');
INSERT INTO "audit" VALUES(15,1795643297181624,'root','admin','socket, uid 0','drain','node e2','done');
INSERT INTO "audit" VALUES(16,1795643297197657,'root','admin','socket, uid 0','token new','ab12ab12ab12 (user for root)','done');
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
INSERT INTO "event" VALUES(1,1,0,'restored',NULL,5,'{"version":"0.1.0","recipe":"easy++","capacity":"nodes","rate":1.0,"drain_after":3,"partitions":[],"jobs":0,"next_seq":1,"planner":{"order":"","starts":0,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"unsettled":{}}}');
INSERT INTO "event" VALUES(2,2,1795643294381777,'no-op',NULL,5,'{}');
INSERT INTO "event" VALUES(3,3,1795643295677633,'node-up',NULL,5,'{"name":"e1","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(4,3,1795643295677633,'node-up',NULL,5,'{"name":"e2","agent_id":"agent_id","kind":"emulated","cores":4,"mem_mib":8192,"features":["emulated"],"gres":[],"hostname":"hostname","os":"","cpu_model":"","agent_version":"0.1.0","memory_limit":"polling"}');
INSERT INTO "event" VALUES(5,4,1795643295717851,'submit',1,5,'{"id":1,"user":"root","name":"fine","submit_us":1795643295717402,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"details":{"name":"fine","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":1,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(6,4,1795643295717851,'start',1,5,'{"job":{"seq":1,"eligible_us":1795643295717402,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795643295717851,"reserved_rank":0,"reserved_us":1795643295717851,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295717851,"expected_end_us":10802842550458843,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(7,5,1795643295744713,'submit',2,5,'{"id":2,"user":"root","name":"failed","submit_us":1795643295744258,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"details":{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"},"array_id":null,"array_index":null,"seq":2,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(8,5,1795643295744713,'start',2,5,'{"job":{"seq":2,"eligible_us":1795643295744258,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795643295744713,"reserved_rank":1,"reserved_us":1795643295744713,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295744713,"expected_end_us":10802842550485705,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(9,6,1795643295757856,'submit',3,5,'{"id":3,"user":"root","name":"shot","submit_us":1795643295757497,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"details":{"name":"shot","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":3,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(10,6,1795643295757856,'start',3,5,'{"job":{"seq":3,"eligible_us":1795643295757497,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795643295757856,"reserved_rank":2,"reserved_us":1795643295757856,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295757856,"expected_end_us":10802842550498848,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(11,7,1795643295768926,'submit',4,5,'{"id":4,"user":"root","name":"slow","submit_us":1795643295768503,"estimate_us":1000000,"requeue":true,"restartable":true,"request":[[1,1,0,false,null,null,[],[]]],"details":{"name":"slow","workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":4,"prediction_us":1000000}');
INSERT INTO "event" VALUES(12,7,1795643295768926,'start',4,5,'{"job":{"seq":4,"eligible_us":1795643295768503,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795643295768926,"reserved_rank":3,"reserved_us":1795643295768926,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295768926,"expected_end_us":1795643296768926,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(13,8,1795643295775164,'submit',5,5,'{"id":5,"user":"ann","name":"timer","submit_us":1795643295774206,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"details":{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":5,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(14,8,1795643295775164,'start',5,5,'{"job":{"seq":5,"eligible_us":1795643295774206,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795643295775164,"reserved_rank":4,"reserved_us":1795643295775164,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295775164,"expected_end_us":10802842550516156,"end_us":null,"partition":"main","allocation":[["e2",1,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(15,9,1795643295778137,'submit',6,5,'{"id":6,"user":"ann","name":"timer","submit_us":1795643295777849,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"details":{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":6,"prediction_us":9007199254740992}');
INSERT INTO "event" VALUES(16,9,1795643295778137,'start',6,5,'{"job":{"seq":6,"eligible_us":1795643295777849,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795643295778137,"reserved_rank":5,"reserved_us":1795643295778137,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295778137,"expected_end_us":10802842550519129,"end_us":null,"partition":"main","allocation":[["e2",3,0]],"open_nodes":["e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(17,10,1795643295824778,'launched',5,5,'{"attempt":1}');
INSERT INTO "event" VALUES(18,10,1795643295824778,'launched',6,5,'{"attempt":1}');
INSERT INTO "event" VALUES(19,11,1795643295863004,'exited',1,5,'{"attempt":1,"node":"e1","end_us":1795643295862138,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004566,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(20,11,1795643295863004,'launched',1,5,'{"attempt":1}');
INSERT INTO "event" VALUES(21,11,1795643295863004,'end',1,5,'{"job":{"seq":1,"eligible_us":1795643295717402,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":0,"backfilled":false,"behind":null,"reserved_at_us":1795643295717851,"reserved_rank":0,"reserved_us":1795643295717851,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295717851,"expected_end_us":10802842550458843,"end_us":1795643295862138,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.004566,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(22,12,1795643295882328,'exited',3,5,'{"attempt":1,"node":"e1","end_us":1795643295875499,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004662,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(23,12,1795643295882328,'exited',5,5,'{"attempt":1,"node":"e2","end_us":1795643295875164,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(24,12,1795643295882328,'exited',2,5,'{"attempt":1,"node":"e1","end_us":1795643295878796,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.004413,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(25,12,1795643295882328,'launched',4,5,'{"attempt":1}');
INSERT INTO "event" VALUES(26,12,1795643295882328,'launched',3,5,'{"attempt":1}');
INSERT INTO "event" VALUES(27,12,1795643295882328,'launched',2,5,'{"attempt":1}');
INSERT INTO "event" VALUES(28,12,1795643295882328,'end',3,5,'{"job":{"seq":3,"eligible_us":1795643295757497,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":2,"backfilled":false,"behind":null,"reserved_at_us":1795643295757856,"reserved_rank":2,"reserved_us":1795643295757856,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295757856,"expected_end_us":10802842550498848,"end_us":1795643295875499,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":null,"signal":9,"cpu_s":0.004662,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(29,12,1795643295882328,'end',5,5,'{"job":{"seq":5,"eligible_us":1795643295774206,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":4,"backfilled":false,"behind":null,"reserved_at_us":1795643295775164,"reserved_rank":4,"reserved_us":1795643295775164,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295775164,"expected_end_us":10802842550516156,"end_us":1795643295875164,"partition":"main","allocation":[["e2",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(30,12,1795643295882328,'end',2,5,'{"job":{"seq":2,"eligible_us":1795643295744258,"conditions":[],"array":{},"state":"FAILED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":1,"backfilled":false,"behind":null,"reserved_at_us":1795643295744713,"reserved_rank":1,"reserved_us":1795643295744713,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295744713,"expected_end_us":10802842550485705,"end_us":1795643295878796,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":3,"signal":null,"cpu_s":0.004413,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(31,13,1795643295978757,'exited',6,5,'{"attempt":1,"node":"e2","end_us":1795643295978137,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(32,13,1795643295978757,'end',6,5,'{"job":{"seq":6,"eligible_us":1795643295777849,"conditions":[],"array":{},"state":"COMPLETED","live":false,"attempt":1,"prediction_us":9007199254740992,"corrections":0,"overruns":0,"rank":5,"backfilled":false,"behind":null,"reserved_at_us":1795643295778137,"reserved_rank":5,"reserved_us":1795643295778137,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295778137,"expected_end_us":10802842550519129,"end_us":1795643295978137,"partition":"main","allocation":[["e2",3,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"exit","exit_code":0,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(33,14,1795643296770310,'correct',4,5,'{"job":{"seq":4,"eligible_us":1795643295768503,"conditions":[],"array":{},"state":"RUNNING","live":true,"attempt":1,"prediction_us":61001384,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795643295768926,"reserved_rank":3,"reserved_us":1795643295768926,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295768926,"expected_end_us":1795643356770310,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(34,15,1795643296858959,'exited',4,5,'{"attempt":1,"node":"e1","end_us":1795643296858219,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.00504,"max_rss_mib":12,"message":""}');
INSERT INTO "event" VALUES(35,15,1795643296858959,'end',4,5,'{"job":{"seq":4,"eligible_us":1795643295768503,"conditions":[],"array":{},"state":"TIMEOUT","live":false,"attempt":1,"prediction_us":61001384,"corrections":1,"overruns":1,"rank":3,"backfilled":false,"behind":null,"reserved_at_us":1795643295768926,"reserved_rank":3,"reserved_us":1795643295768926,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643295768926,"expected_end_us":1795643356770310,"end_us":1795643296858219,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"limit","exit_code":null,"signal":15,"cpu_s":0.00504,"max_rss_mib":12,"message":""}}');
INSERT INTO "event" VALUES(36,16,1795643296928387,'submit',7,5,'{"id":7,"user":"root","name":"cancelled","submit_us":1795643296928008,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[1,1,0,false,"emulated",null,[],[]]],"details":{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":7,"prediction_us":1000000}');
INSERT INTO "event" VALUES(37,16,1795643296928387,'start',7,5,'{"job":{"seq":7,"eligible_us":1795643296928008,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795643296928387,"reserved_rank":6,"reserved_us":1795643296928387,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643296928387,"expected_end_us":1795643297928387,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(38,17,1795643296968985,'launched',7,5,'{"attempt":1}');
INSERT INTO "event" VALUES(39,18,1795643296984902,'cancel',7,5,'{}');
INSERT INTO "event" VALUES(40,18,1795643296984902,'stop',7,5,'{"job":{"seq":7,"eligible_us":1795643296928008,"conditions":[],"array":{},"state":"COMPLETING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795643296928387,"reserved_rank":6,"reserved_us":1795643296928387,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643296928387,"expected_end_us":1795643296984902,"end_us":null,"partition":"main","allocation":[["e1",1,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""},"nodes":["e1"],"cause":"user"}');
INSERT INTO "event" VALUES(41,19,1795643296997954,'exited',7,5,'{"attempt":1,"node":"e1","end_us":1795643296997868,"cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}');
INSERT INTO "event" VALUES(42,19,1795643296997954,'end',7,5,'{"job":{"seq":7,"eligible_us":1795643296928008,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":6,"backfilled":false,"behind":null,"reserved_at_us":1795643296928387,"reserved_rank":6,"reserved_us":1795643296928387,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643296928387,"expected_end_us":1795643296984902,"end_us":1795643296997868,"partition":"main","allocation":[["e1",1,0]],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":"user","cause":"user","exit_code":null,"signal":null,"cpu_s":0.0,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(43,20,1795643297033568,'submit',8,5,'{"id":8,"user":"root","name":"long","submit_us":1795643297033185,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[3,1,0,false,"emulated",null,[],[]]],"details":{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":8,"prediction_us":1000000}');
INSERT INTO "event" VALUES(44,20,1795643297033568,'start',8,5,'{"job":{"seq":8,"eligible_us":1795643297033185,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":7,"backfilled":false,"behind":null,"reserved_at_us":1795643297033568,"reserved_rank":7,"reserved_us":1795643297033568,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643297033568,"expected_end_us":1795643298033568,"end_us":null,"partition":"main","allocation":[["e1",3,0]],"open_nodes":["e1"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(45,21,1795643297047719,'launched',8,5,'{"attempt":1}');
INSERT INTO "event" VALUES(46,21,1795643297047719,'submit',9,5,'{"id":9,"user":"root","name":"wide","submit_us":1795643297047444,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[2,1,0,true,"emulated",null,[],[]]],"details":{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":9,"prediction_us":1000000}');
INSERT INTO "event" VALUES(47,21,1795643297047719,'start',9,5,'{"job":{"seq":9,"eligible_us":1795643297047444,"conditions":[],"array":{},"state":"CONFIGURING","live":true,"attempt":1,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":8,"backfilled":false,"behind":null,"reserved_at_us":1795643297047719,"reserved_rank":8,"reserved_us":1795643297047719,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":1795643297047719,"expected_end_us":1795643298047719,"end_us":null,"partition":"main","allocation":[["e1",1,0],["e2",1,0]],"open_nodes":["e1","e2"],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(48,22,1795643297071833,'launched',9,5,'{"attempt":1}');
INSERT INTO "event" VALUES(49,23,1795643297089736,'submit',10,5,'{"id":10,"user":"root","name":"never","submit_us":1795643297089442,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"details":{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":10,"prediction_us":1000000}');
INSERT INTO "event" VALUES(50,23,1795643297089736,'promise',10,5,'{"job":{"seq":10,"eligible_us":1795643297089442,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795643297089736,"reserved_rank":9,"reserved_us":1795643298047719,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(51,24,1795643297119036,'cancel',10,5,'{}');
INSERT INTO "event" VALUES(52,24,1795643297119036,'end',10,5,'{"job":{"seq":10,"eligible_us":1795643297089442,"conditions":[],"array":{},"state":"CANCELLED","live":false,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795643297089736,"reserved_rank":9,"reserved_us":1795643298047719,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":1795643297119036,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":"user","exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(53,25,1795643297141756,'submit',11,5,'{"id":11,"user":"root","name":"waits","submit_us":1795643297141442,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":11,"prediction_us":1000000}');
INSERT INTO "event" VALUES(54,25,1795643297141756,'submit',12,5,'{"id":12,"user":"root","name":"waits","submit_us":1795643297141442,"estimate_us":9007199254740992,"requeue":true,"restartable":true,"request":[[8,1,0,false,"emulated",null,[],[]]],"details":{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}},"array_id":null,"array_index":null,"seq":12,"prediction_us":1000000}');
INSERT INTO "event" VALUES(55,25,1795643297141756,'promise',11,5,'{"job":{"seq":11,"eligible_us":1795643297141442,"conditions":[],"array":{},"state":"PENDING","live":true,"attempt":0,"prediction_us":1000000,"corrections":0,"overruns":0,"rank":null,"backfilled":false,"behind":null,"reserved_at_us":1795643297141756,"reserved_rank":9,"reserved_us":1795643298047719,"promoted_us":null,"tried":false,"refusals":[],"avoids":[],"trial_end_us":null,"lost_us":0,"start_us":null,"expected_end_us":null,"end_us":null,"partition":"main","allocation":[],"open_nodes":[],"claim":[],"awaits":[],"draining":false,"stop_cause":null,"cause":null,"exit_code":null,"signal":null,"cpu_s":null,"max_rss_mib":null,"message":""}}');
INSERT INTO "event" VALUES(56,26,1795643297165748,'submit',13,5,'{"id":13,"user":"root","name":"waits-too","submit_us":1795643297165461,"estimate_us":60000000,"requeue":true,"restartable":true,"request":[[8,1,0,false,null,null,[],[]]],"details":{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"},"array_id":null,"array_index":null,"seq":13,"prediction_us":1000000}');
INSERT INTO "event" VALUES(57,27,1795643297181722,'drain',NULL,5,'{"name":"e2","drain_reason":"its fan"}');
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
INSERT INTO "job" VALUES(1,'root','fine',1795643295717402,9007199254740992,'[[1,1,0,false,null,null,[],[]]]',1,1,'{"name":"fine","workdir":"/","stdout":"/dev/null"}',NULL,NULL,1,1795643295717402,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,0,0,NULL,1795643295717851,0,1795643295717851,NULL,0,'[]','[]',NULL,0,1795643295717851,10802842550458843,1795643295862138,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.004566,12,'');
INSERT INTO "job" VALUES(2,'root','failed',1795643295744258,9007199254740992,'[[1,1,0,false,null,null,[],[]]]',1,1,'{"name":"failed","workdir":"/","stdout":"/dev/null","comment":"says 3"}',NULL,NULL,2,1795643295744258,'[]','{}','FAILED',0,1,9007199254740992,0,0,1,0,NULL,1795643295744713,1,1795643295744713,NULL,0,'[]','[]',NULL,0,1795643295744713,10802842550485705,1795643295878796,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',3,NULL,0.004413,12,'');
INSERT INTO "job" VALUES(3,'root','shot',1795643295757497,9007199254740992,'[[1,1,0,false,null,null,[],[]]]',1,1,'{"name":"shot","workdir":"/","stdout":"/dev/null"}',NULL,NULL,3,1795643295757497,'[]','{}','FAILED',0,1,9007199254740992,0,0,2,0,NULL,1795643295757856,2,1795643295757856,NULL,0,'[]','[]',NULL,0,1795643295757856,10802842550498848,1795643295875499,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'exit',NULL,9,0.004662,12,'');
INSERT INTO "job" VALUES(4,'root','slow',1795643295768503,1000000,'[[1,1,0,false,null,null,[],[]]]',1,1,'{"name":"slow","workdir":"/","stdout":"/dev/null"}',NULL,NULL,4,1795643295768503,'[]','{}','TIMEOUT',0,1,61001384,1,1,3,0,NULL,1795643295768926,3,1795643295768926,NULL,0,'[]','[]',NULL,0,1795643295768926,1795643356770310,1795643296858219,'main','[["e1",1,0]]','[]','[]','[]',0,NULL,'limit',NULL,15,0.00504,12,'');
INSERT INTO "job" VALUES(5,'ann','timer',1795643295774206,9007199254740992,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"timer","stdout":"/dev/null","emulate":{"run_s":0.1,"exec":"timer","limited":false}}',NULL,NULL,5,1795643295774206,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,4,0,NULL,1795643295775164,4,1795643295775164,NULL,0,'[]','[]',NULL,0,1795643295775164,10802842550516156,1795643295875164,'main','[["e2",1,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(6,'ann','timer',1795643295777849,9007199254740992,'[[3,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"timer","tasks":3,"stdout":"/dev/null","emulate":{"run_s":0.2,"exec":"timer","limited":false}}',NULL,NULL,6,1795643295777849,'[]','{}','COMPLETED',0,1,9007199254740992,0,0,5,0,NULL,1795643295778137,5,1795643295778137,NULL,0,'[]','[]',NULL,0,1795643295778137,10802842550519129,1795643295978137,'main','[["e2",3,0]]','[]','[]','[]',0,NULL,'exit',0,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(7,'root','cancelled',1795643296928008,9007199254740992,'[[1,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"cancelled","stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,7,1795643296928008,'[]','{}','CANCELLED',0,1,1000000,0,0,6,0,NULL,1795643296928387,6,1795643296928387,NULL,0,'[]','[]',NULL,0,1795643296928387,1795643296984902,1795643296997868,'main','[["e1",1,0]]','[]','[]','[]',0,'user','user',NULL,NULL,0.0,NULL,'');
INSERT INTO "job" VALUES(8,'root','long',1795643297033185,9007199254740992,'[[3,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"long","tasks":3,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,8,1795643297033185,'[]','{}','RUNNING',1,1,1000000,0,0,7,0,NULL,1795643297033568,7,1795643297033568,NULL,0,'[]','[]',NULL,0,1795643297033568,1795643298033568,NULL,'main','[["e1",3,0]]','["e1"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(9,'root','wide',1795643297047444,9007199254740992,'[[2,1,0,true,"emulated",null,[],[]]]',1,1,'{"name":"wide","tasks":2,"nodes":2,"stdout":"/dev/null","emulate":{"run_s":1000000.0,"exec":"timer","limited":false}}',NULL,NULL,9,1795643297047444,'[]','{}','RUNNING',1,1,1000000,0,0,8,0,NULL,1795643297047719,8,1795643297047719,NULL,0,'[]','[]',NULL,0,1795643297047719,1795643298047719,NULL,'main','[["e1",1,0],["e2",1,0]]','["e1","e2"]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(10,'root','never',1795643297089442,9007199254740992,'[[8,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"never","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,10,1795643297089442,'[]','{}','CANCELLED',0,0,1000000,0,0,NULL,0,NULL,1795643297089736,9,1795643298047719,NULL,0,'[]','[]',NULL,0,NULL,NULL,1795643297119036,'main','[]','[]','[]','[]',0,NULL,'user',NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(11,'root','waits',1795643297141442,9007199254740992,'[[8,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,11,1795643297141442,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,1795643297141756,9,1795643298047719,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(12,'root','waits',1795643297141442,9007199254740992,'[[8,1,0,false,"emulated",null,[],[]]]',1,1,'{"name":"waits","tasks":8,"stdout":"/dev/null","emulate":{"run_s":5.0,"exec":"timer","limited":false}}',NULL,NULL,12,1795643297141442,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "job" VALUES(13,'root','waits-too',1795643297165461,60000000,'[[8,1,0,false,null,null,[],[]]]',1,1,'{"name":"waits-too","tasks":8,"workdir":"/","stdout":"/dev/null"}',NULL,NULL,13,1795643297165461,'[]','{}','PENDING',1,0,1000000,0,0,NULL,0,NULL,NULL,NULL,NULL,NULL,0,'[]','[]',NULL,0,NULL,NULL,NULL,'main','[]','[]','[]','[]',0,NULL,NULL,NULL,NULL,NULL,NULL,'');
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
INSERT INTO "meta" VALUES('batch','27');
INSERT INTO "meta" VALUES('clock_scaled','0');
INSERT INTO "meta" VALUES('clock_us','1795643297181722');
INSERT INTO "meta" VALUES('last_id','13');
INSERT INTO "meta" VALUES('live','5');
INSERT INTO "meta" VALUES('next_seq','14');
INSERT INTO "meta" VALUES('planner','{"order":"","starts":9,"slowdowns":[],"ended":[],"planned_us":{},"used":{},"used_in_all":[0.0,0],"unsettled":{}}');
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
INSERT INTO "submission" VALUES('root:148575b334601f754f2b489b1e67e0bf','9cc9bc83ba2ab175e09ddb7b8f6c7fc7',1,1,'[]');
INSERT INTO "submission" VALUES('root:39023aa16511ba9adfaa0e520a90e78e','dcf4487c16a5dc69f0271810b93c2d6a',2,1,'[]');
INSERT INTO "submission" VALUES('root:2313fd4e52f7920d577d8b0700fb77ce','4d3151f9499af7a0287d3c49565a6804',3,1,'[]');
INSERT INTO "submission" VALUES('root:9b2569db7430cd78b3baa01a31f88944','467bbec961f57b76e0add558bef6cb8d',4,1,'[]');
INSERT INTO "submission" VALUES('root:d65d1c3295e68bca4cf2461cfaf9288d','a0722115ff466583429253143ca24bbf',5,1,'[]');
INSERT INTO "submission" VALUES('root:77a178b611ac550c19ab99b7cb0b44b2','9c73e259f236690da9d69850da3bee34',6,1,'[]');
INSERT INTO "submission" VALUES('root:b50457a0fff9e8294dbc93be9ecf0511','620b0a89a7871ea4184728efbaa8ffcf',7,1,'[]');
INSERT INTO "submission" VALUES('root:c54c6061a933e1bbeacda31184f62eb3','a03626b7437f3c25c2bdfa4bed420d25',8,1,'[]');
INSERT INTO "submission" VALUES('root:2196f14b38561875a336d244ec9c5d58','ea7c608977a87d390c91c7eb00a67c02',9,1,'[]');
INSERT INTO "submission" VALUES('root:09018d2e76a427db9c7f513d89b277e1','3f7ef8f733801451b24846c0932b46c4',10,1,'[]');
INSERT INTO "submission" VALUES('root:twice','a632dcfb34a5614865b3dd40db3c19fe',11,2,'[]');
INSERT INTO "submission" VALUES('root:742bec8b5ec4b19afaf41a1cd056c044','fc9af16087fa91903726cfcc33a7ec8c',13,1,'[]');
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
INSERT INTO "token" VALUES('ab12ab12ab12','abababababababababababababababababababababababababababababababab','root','user','laptop',1795643297197625,'root',NULL,NULL,NULL,NULL,'');
CREATE TABLE used (
	user VARCHAR NOT NULL, 
	processor_s FLOAT NOT NULL, 
	at_us BIGINT NOT NULL, 
	PRIMARY KEY (user)
);
CREATE INDEX event_explaining ON event (job_id) WHERE kind IN ('correct', 'repredict', 'promise');
CREATE INDEX job_user ON job (user, seq);
CREATE INDEX job_ran ON job (user, seq, start_us, end_us, estimate_us) WHERE NOT live AND start_us IS NOT NULL AND cause IN ('exit', 'limit', 'memory', 'quota', 'user');
CREATE INDEX job_live ON job (id) WHERE live;
CREATE INDEX job_end ON job (end_us, submit_us) WHERE end_us IS NOT NULL;
COMMIT;
