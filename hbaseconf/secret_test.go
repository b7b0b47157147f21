package hbaseconf

import "testing"

func TestMasked(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"ssl.server.keystore.password", "hunter2", Mask},
		{"hadoop.security.credential.provider.path", "jceks://x", Mask},
		{"fs.s3a.access.key", "AK", Mask},
		{"my.token", "t", Mask},
		{"HBASE_KEYSTORE_PASSWORD", "p", Mask},
		{"hbase.auth.token.max.lifetime", "604800000", "604800000"},
		{"hbase.rootdir", "hdfs://nn:8020/hbase", "hdfs://nn:8020/hbase"},
		{"phoenix.url", "jdbc://me:hunter2@host/db", "jdbc://me:" + Mask + "@host/db"},
		{"some.jaas", `Login required password="hunter2" user="u"`, `Login required password=` + Mask + ` user="u"`},
		{"opts", "-Djavax.net.ssl.keyStorePassword=hunter2 -Xmx4g", "-Djavax.net.ssl.keyStorePassword=" + Mask + " -Xmx4g"},
		{"hbase.zookeeper.quorum", "a:2181,b:2181", "a:2181,b:2181"},
	} {
		if got := Masked(c.name, c.value); got != c.want {
			t.Errorf("%s=%s: %s, want %s", c.name, c.value, got, c.want)
		}
	}
}
