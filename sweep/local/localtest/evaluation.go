package localtest

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/sweep/local"
)

// Evaluation is HBase's own PerformanceEvaluation, the peer of benchmarks, in a
// JVM that stays warm.
type Evaluation struct {
	in  io.WriteCloser
	out *bufio.Scanner
	log *os.File
}

// evaluationVersion has no other build: PerformanceEvaluation comes without the
// -hadoop3 flavour and runs on the jars of the server's.
const evaluationVersion = "2.6.4"

//go:embed java/EvaluationLoop.java
var evaluationLoop string

// NewEvaluation fetches PerformanceEvaluation by Maven, compiles the loop that
// drives it, and starts a JVM.
func NewEvaluation(b testing.TB, cluster *local.Cluster) *Evaluation {
	b.Helper()
	dir := b.TempDir()
	lib := filepath.Join(dir, "lib")
	command(b, "mvn", "-B", "-q", "-ntp", "-f", write(b, filepath.Join(dir, "pom.xml"), evaluationPOM()),
		"dependency:copy-dependencies", "-DincludeScope=test", "-DoutputDirectory="+lib)
	path := strings.Join([]string{
		filepath.Join(dir, "classes"), dir, filepath.Join(lib, "*"), filepath.Join(cluster.Jars(), "*"),
	}, string(os.PathListSeparator))
	command(b, "javac", "-nowarn", "-d", filepath.Join(dir, "classes"), "-cp", path, write(b, filepath.Join(dir, "EvaluationLoop.java"), evaluationLoop))
	host, port, _ := strings.Cut(cluster.ZooKeeper(), ":")
	write(b, filepath.Join(dir, "hbase-site.xml"), fmt.Sprintf(`<configuration>
<property><name>hbase.zookeeper.quorum</name><value>%s</value></property>
<property><name>hbase.zookeeper.property.clientPort</name><value>%s</value></property>
</configuration>`, host, port))
	write(b, filepath.Join(dir, "log4j.properties"), "log4j.rootLogger=ERROR, E\nlog4j.appender.E=org.apache.log4j.ConsoleAppender\nlog4j.appender.E.target=System.err\nlog4j.appender.E.layout=org.apache.log4j.SimpleLayout\n")

	// Its reservoirs of figures take 30 MB a thread.
	java := exec.Command("java", "-Xmx12g", "-XX:+ExitOnOutOfMemoryError", "-cp", path, "org.apache.hadoop.hbase.EvaluationLoop")
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		b.Fatal(err)
	}
	java.Stderr = log
	in, err := java.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := java.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := java.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = java.Wait()
		_ = log.Close()
	})
	return &Evaluation{in, bufio.NewScanner(out), log}
}

// EvaluationResult is one run of PerformanceEvaluation.
type EvaluationResult struct {
	Operations     int
	PerSecond      float64
	CPUMicrosPerOp float64 // of its JVM
}

// Run has PerformanceEvaluation make about so many operations of a test (with
// the options before its name) on a table of so many rows.
func (e *Evaluation) Run(b testing.TB, test []string, threads, rows, operations int) EvaluationResult {
	b.Helper()
	each := rows / threads
	rate := min(float64(operations)/float64(each*threads), 1)
	fmt.Fprintf(e.in, "--nomapred --rows=%d --sampleRate=%g %s %d\n", each, rate, strings.Join(test, " "), threads)
	for e.out.Scan() {
		var r EvaluationResult
		var cpuMicros float64
		if _, err := fmt.Sscanf(e.out.Text(), "measured %d %g %g", &r.Operations, &r.PerSecond, &cpuMicros); err == nil {
			if r.Operations == 0 {
				b.Fatal("PerformanceEvaluation did nothing")
			}
			r.CPUMicrosPerOp = cpuMicros / float64(r.Operations)
			return r
		}
	}
	end := make([]byte, 2000)
	n, _ := e.log.ReadAt(end, 0)
	b.Fatalf("PerformanceEvaluation ended: %v\n%s\n%s", e.out.Err(), e.out.Text(), end[:n])
	return EvaluationResult{}
}

func command(b testing.TB, name string, args ...string) {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", name, err, out)
	}
}

func write(b testing.TB, path, text string) string {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	return path
}

// evaluationPOM asks for PerformanceEvaluation and what it needs besides the
// jars of the server.
func evaluationPOM() string {
	var s strings.Builder
	s.WriteString(`<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>hbtune</groupId><artifactId>evaluation</artifactId><version>1</version><packaging>pom</packaging><dependencies>
`)
	for _, d := range [][4]string{
		{"org.apache.hbase", "hbase-mapreduce", evaluationVersion, "jar"},
		{"org.apache.hbase", "hbase-mapreduce", evaluationVersion, "test-jar"},
		{"org.apache.hbase", "hbase-server", evaluationVersion, "test-jar"},
		{"org.apache.hbase", "hbase-common", evaluationVersion, "test-jar"},
		{"org.apache.hbase", "hbase-zookeeper", evaluationVersion, "test-jar"},
		{"org.apache.hadoop", "hadoop-mapreduce-client-core", "3.4.2", "jar"},
		{"junit", "junit", "4.13.2", "jar"},
	} {
		fmt.Fprintf(&s, "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version><type>%s</type>"+
			"<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>\n", d[0], d[1], d[2], d[3])
	}
	return s.String() + "</dependencies></project>\n"
}
