package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// fakeWorkerEnv makes the test's own program a worker that keeps rows in memory.
const fakeWorkerEnv = "HBTUNE_FAKE_WORKER"

// fakeWorker speaks the Java worker's side of the pipes.
func fakeWorker() {
	if os.Getenv(fakeWorkerEnv) == "broken" {
		fmt.Fprintln(os.Stderr, "Exception: no such API\n\tat Client.open(Client.java:40)")
		os.Exit(3)
	}
	in := bufio.NewReader(os.Stdin)
	reply := func(id int32, body []byte) {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))
		b = binary.BigEndian.AppendUint32(b, uint32(id))
		os.Stdout.Write(append(b, body...))
	}
	reply(javaReady, nil)
	rows := map[string]map[int][]byte{}
	names := map[int32][][]byte{}
	seen := hdrhistogram.New(1, histogramHighest, histogramDigits)
	recording := false
	for {
		var head [4]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			os.Exit(0)
		}
		frame := make(replyReader, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(in, frame); err != nil {
			os.Exit(1)
		}
		id := int32(frame.int())
		kind := frame.byte()
		if id == javaControl {
			var body []byte
			switch kind {
			case javaTime:
				body = binary.BigEndian.AppendUint64(nil, 5000)
			case javaWindow:
				recording = true
				continue
			case javaLanes:
				continue
			case javaHistograms:
				text, _ := seen.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
				body = binary.BigEndian.AppendUint64([]byte{kindPut}, uint64(seen.TotalCount()))
				for range 2 {
					body = binary.BigEndian.AppendUint64(body, uint64(seen.TotalCount())*12345)
					body = append(binary.BigEndian.AppendUint32(body, uint32(len(text))), text...)
				}
			}
			reply(javaControl, body)
			continue
		}
		if kind == 'O' {
			frame.bytes()
			names[id] = columnNames(frame.int())
			continue
		}
		purpose, due := frame.byte(), frame.long()
		if recording && purpose == kindPut {
			_ = seen.RecordValue(12)
		}
		body, found := []byte{0}, [][]byte{}
		for _, nanos := range []int64{9000, 9000 - max(due, 0), 12345} { // ended, response, service
			body = binary.BigEndian.AppendUint64(body, uint64(nanos))
		}
		switch kind {
		case 'P':
			for range frame.int() {
				key, first := string(frame.bytes()), frame.int()
				if rows[key] == nil {
					rows[key] = map[int][]byte{}
				}
				for i := range frame.int() {
					rows[key][first+i] = slices.Clone(frame.bytes())
				}
			}
		case 'G':
			frame.int()
			frame.int()
			for range frame.int() {
				found = append(found, slices.Clone(frame.bytes()))
			}
		case 'S':
			frame.int()
			frame.int()
			start := string(frame.bytes())
			frame.bytes()
			for key := range rows {
				if key >= start {
					found = append(found, []byte(key))
				}
			}
			slices.SortFunc(found, bytes.Compare)
			found = found[:min(len(found), frame.int())]
		}
		put := func(b []byte) { body = append(binary.BigEndian.AppendUint32(body, uint32(len(b))), b...) }
		body = binary.BigEndian.AppendUint32(body, uint32(len(found)))
		for _, key := range found {
			switch string(key) {
			case "busy":
				body = append([]byte{1}, make([]byte, 24)...)
				put([]byte("RegionTooBusyException"))
				put([]byte("over the limit"))
			case "exit":
				fmt.Fprintln(os.Stderr, "OutOfMemoryError")
				os.Exit(9)
			case "hang":
				time.Sleep(time.Second)
			}
			put(key)
			body = binary.BigEndian.AppendUint32(body, uint32(len(rows[string(key)])))
			for i, name := range names[id] {
				if value, ok := rows[string(key)][i]; ok {
					put(name)
					put(value)
				}
			}
		}
		reply(id, body)
	}
}

func openFake(t *testing.T, how string) (*Java, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fakeWorkerEnv+"="+how)
	j, err := OpenJava(t.Context(), newModel(), APITable, cmd)
	if err == nil {
		t.Cleanup(j.Close)
	}
	return j, err
}

func TestJavaTableReadsAndWrites(t *testing.T) {
	j, err := openFake(t, "yes")
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	table := j.Table("t", 12, 0)
	if j.Table("t", 12, 0) != table || j.Table("t", 12, 1) == table || j.Driver() != "java/table" {
		t.Error("handles are mixed up")
	}
	write := func(key string, first int, values ...string) Row {
		row := Row{Key: []byte(key), First: first}
		for _, v := range values {
			row.Values = append(row.Values, []byte(v))
		}
		return row
	}
	if err := table.Put(ctx, write("b", 3, "b3", "b4")); err != nil {
		t.Fatal(err)
	}
	if err := table.PutAll(ctx, []Row{write("a", 0, "a0"), write("c", 11, "c11")}); err != nil {
		t.Fatal(err)
	}
	found, err := table.Get(ctx, []byte("b"), Columns{3, 2})
	if v, ok := table.Value(4); err != nil || !found || !ok || string(v) != "b4" {
		t.Errorf("found %v, %q, %v", found, v, err)
	}
	if _, ok := table.Value(5); ok {
		t.Error("a column that was not written has a value")
	}
	if found, err := table.Get(ctx, []byte("x"), Columns{0, 1}); found || err != nil {
		t.Errorf("a row that is not there: %v, %v", found, err)
	}
	if _, _, service, ok := table.(timed).Took(); !ok || service != 12345 {
		t.Errorf("the call took %v", service)
	}
	var got []string
	err = table.GetAll(ctx, [][]byte{[]byte("c"), []byte("x"), []byte("a")}, Columns{0, 12}, func(i int, found bool) {
		got = append(got, fmt.Sprint(i, found))
	})
	if want := []string{"0 true", "1 false", "2 true"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %v", got, err)
	}
	got = nil
	err = table.Scan(ctx, []byte("b"), 5, Columns{0, 12}, func(key []byte) {
		v, _ := table.Value(11)
		got = append(got, string(key)+string(v))
	})
	if want := []string{"b", "cc11"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %v", got, err)
	}
}

// A load's operations are timed by the worker's clock, and recorded there.
func TestJavaTimesOperations(t *testing.T) {
	j, err := openFake(t, "yes")
	if err != nil {
		t.Fatal(err)
	}
	start := j.clock.ours.Add(time.Microsecond)
	if err := errors.Join(j.Lanes(2, start), j.Window(0, int64(time.Hour))); err != nil {
		t.Fatal(err)
	}
	table := j.Table("t", 1, 0)
	put := func() {
		t.Helper()
		if err := table.Put(t.Context(), Row{Key: []byte("a"), Values: [][]byte{{1}}}); err != nil {
			t.Fatal(err)
		}
	}
	table.(timed).Begin(kindPut, 500)
	put()
	// The fake's clock showed 5000 when ours showed the moment a microsecond before
	// the start, and 9000 at the end of the put that was due at 6500.
	if ended, response, service, ok := table.(timed).Took(); !ok || ended != 3000 || response != 2500 || service != 12345 {
		t.Errorf("ended at %d, response %d, service %d, %v", ended, response, service, ok)
	}
	table.(timed).Begin(kindPut, whenFree)
	put()
	put() // which is none of the load's
	kinds, err := j.Recorded(t.Context())
	if got := kinds[kindPut]; err != nil || len(kinds) != 1 || got.count != 2 || got.responseSum != 24690 || got.response.TotalCount() != 2 || got.service.Max() != 12 {
		t.Errorf("recorded %+v: %v", kinds, err)
	}
}

func TestJavaFailuresAreNamed(t *testing.T) {
	j, err := openFake(t, "yes")
	if err != nil {
		t.Fatal(err)
	}
	table := j.Table("t", 1, 0)
	_, err = table.Get(t.Context(), []byte("busy"), Columns{0, 1})
	var class classified
	if !errors.As(err, &class) || class.Class() != "RegionTooBusyException" || !strings.Contains(err.Error(), "over the limit") {
		t.Errorf("a server's exception: %v", err)
	}
	// A call that was given up leaves its handle to whatever comes back for it.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := table.Get(ctx, []byte("hang"), Columns{0, 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("given up: %v", err)
	}
	if _, err := table.Get(t.Context(), []byte("a"), Columns{0, 1}); err == nil {
		t.Error("the handle was used again")
	}
	again := j.Table("t", 1, 0)
	if again == table {
		t.Error("the handle was given out again")
	}
	if _, err := again.Get(t.Context(), []byte("exit"), Columns{0, 1}); err == nil || !strings.Contains(err.Error(), "OutOfMemoryError") {
		t.Errorf("a worker that ends: %v", err)
	}
	if _, err := again.Get(t.Context(), []byte("a"), Columns{0, 1}); err == nil {
		t.Error("a worker that has ended answered")
	}
	if _, err := openFake(t, "broken"); err == nil || !strings.Contains(err.Error(), "no such API") {
		t.Errorf("a worker that does not begin: %v", err)
	}
}

func TestUnreadPropertiesAreNamed(t *testing.T) {
	set := []string{"hbase.client.ipc.pool.size", "hbase.client.write.buffer", "hbase.hconnection.threads.max"}
	for api, want := range map[string][]string{
		APITable:   {"hbase.client.write.buffer"},
		APIMutator: nil,
		APIAsync:   {"hbase.client.write.buffer", "hbase.hconnection.threads.max"},
	} {
		if got := JavaUnread(api, set); !slices.Equal(got, want) {
			t.Errorf("%s does not read %v, want %v", api, got, want)
		}
	}
}
