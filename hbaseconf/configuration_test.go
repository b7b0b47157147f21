package hbaseconf

import (
	"errors"
	"testing"
)

func TestLoadSeveralFiles(t *testing.T) {
	first := parse(t, `<c><property name="a" value="1"/><property name="b" value="1" final="true"/><property><name>d</name><final>true</final></property></c>`)
	second := parse(t, `<c><property name="a" value="2"/><property name="b" value="2"/><property name="c" value="${a}${b}"/><property name="d" value="2"/></c>`)
	c := Load(Environment{}, first, second)
	for name, want := range map[string]string{"a": "2", "b": "1", "c": "21", "d": ""} {
		if got, _ := c.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestLoadOverDefaults(t *testing.T) {
	env := fixed()
	env.Defaults = Shipped("2.6.4")
	c := Load(env, parse(t, `<c><property name="x" value="${hbase.zookeeper.quorum}:${hbase.rpc.timeout}"/></c>`))
	if got, _ := c.Get("x"); got != "127.0.0.1:60000" {
		t.Errorf("x is %q", got)
	}
	if n, err := c.Int(HandlerCount, 0); n != 30 || err != nil {
		t.Errorf("%d handlers, %v", n, err)
	}
	if names := c.Names(); len(names) != 1 {
		t.Errorf("files set %v", names)
	}
}

func TestHadoop2LeavesEnvironmentAlone(t *testing.T) {
	env := fixed()
	env.NoEnv = true
	c := Load(env, parse(t, `<c><property name="a" value="${env.HOME}/${user.name}"/><property name="b" value="${user.name}"/></c>`))
	for name, want := range map[string]string{"a": "${env.HOME}/${user.name}", "b": "u"} {
		if got, _ := c.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestReadError(t *testing.T) {
	site, err := ParseSite("conf/hbase-site.xml", []byte("<c>\n<property name='a' value='${b}'/><property name='b' value='10 MB'/>\n<property name='l' value='"+`${m}${m}`+"'/><property name='m' value='${l}'/></c>"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Load(Environment{}, site).Int("a", 0)
	var unreadable *ReadError
	if !errors.As(err, &unreadable) || err.Error() != `conf/hbase-site.xml:2: a: "10 MB" is not a number to HBase` {
		t.Errorf("got %v", err)
	}
	if _, err := Load(Environment{}, site).Expanded("l"); err == nil || err.Error() != `conf/hbase-site.xml:3: l: "${m}${m}" refers to more than 20 other values, one after the other; Hadoop gives up` {
		t.Errorf("got %v", err)
	}
}

func TestReadBy(t *testing.T) {
	s := settings(freeHeap, "0", HandlerCount, "30", "other", "1")
	if got := Builtin().ReadBy("2.4.18", s).String(); got != HandlerCount+"=30, other=1" {
		t.Errorf("2.4.18 reads %s", got)
	}
	if got := Builtin().ReadBy("2.6.4-hadoop3", s); !got.Equal(s) {
		t.Errorf("2.6.4 reads %s", got)
	}
}
