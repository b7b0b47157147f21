package cmd

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/lint"
	"hbtune/sweep/apply"
)

type lintOptions struct {
	options lint.Options
	heap    string
	hadoop  string
	role    string
	sarif   bool
	fix     bool
	explain string
	rules   bool
}

func newLint(e *env) *cobra.Command {
	var o lintOptions
	c := &cobra.Command{
		Use:   "lint FILE|DIR…",
		Short: "Say what is wrong with hbase-site.xml and hbase-env.sh",
		Long: `Reads configuration files as the daemons do and says what is wrong with them:
where, what it does in numbers of these files, and what to write instead. Nothing
is contacted. A folder stands for the hbase-site.xml and hbase-env.sh in it; with
hbase-env.sh, or with --heap, memory is judged too.

--fix writes what is safe to write: numbers that HBase cannot read and whose
meaning is beyond doubt, and it drops names that are not read. Every other byte
stays, and what the file held before lies beside it.

Exit status: 0 no errors (warnings and notes do not count), 1 errors were found,
2 bad usage, or a file that is no configuration.`,
		Example: `  hbtune lint /etc/hbase/conf
  hbtune lint --heap 16g --hbase-version 2.4.18 hbase-site.xml
  hbtune lint --role client client/hbase-site.xml
  hbtune lint --explain split-storm`,
		RunE: func(_ *cobra.Command, args []string) error { return runLint(e, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.heap, "heap", "", "maximum heap of the daemon, such as 16g (default: what hbase-env.sh says)")
	f.StringVar(&o.options.Version, "hbase-version", "", "version that reads the files (default: the newest 2.x)")
	f.StringVar(&o.hadoop, "hadoop-version", "", "version of Hadoop: before 3.0 it leaves ${env.NAME} as it stands (default: 3.x)")
	f.BoolVar(&o.options.IncludeOutside, "include-outside", false, "also read included files from outside of the folder of the site file")
	f.StringVar(&o.role, "role", string(lint.RegionServer), "who reads them: regionserver, master or client")
	f.IntVar(&o.options.Java, "java", 0, "major version of the JDK (default: what JAVA_HOME in hbase-env.sh says, or what is usual for the version of HBase)")
	f.IntVar(&o.options.Regions, "regions", 0, "regions on one server, to judge the memstore by")
	f.BoolVar(&o.sarif, "sarif", false, "print SARIF 2.1.0, for code review tools")
	f.BoolVar(&o.fix, "fix", false, "write what is safe to write, with a backup beside the file")
	f.StringVar(&o.explain, "explain", "", "say what a rule is about, by its code")
	f.BoolVar(&o.rules, "rules", false, "say what all rules are about, in Markdown")
	return c
}

func runLint(e *env, o lintOptions, paths []string) error {
	switch {
	case o.rules:
		return lint.Markdown(e.Out)
	case o.explain != "":
		return explainRule(e, o.explain)
	case len(paths) == 0:
		return badInput(errors.New("name a file or a folder, such as /etc/hbase/conf (see `hbtune lint --help`)"))
	case o.sarif && e.json:
		return badInput(errors.New("--sarif and --json exclude each other"))
	}
	if err := o.parse(e); err != nil {
		return badInput(err)
	}
	environment := hbaseconf.Process()
	environment.NoEnv = o.hadoop != "" && hbaseconf.VersionBefore(o.hadoop, "3.0")
	configs, bad := lint.Paths(paths, o.options, environment)
	if o.fix {
		fixed, err := fixFiles(e, configs)
		if err != nil {
			return err
		}
		if fixed {
			configs, bad = lint.Paths(paths, o.options, environment)
		}
	}
	report := lint.Joined(configs)
	if err := o.print(e, report); err != nil {
		return err
	}
	switch {
	case bad != nil:
		return badInput(bad)
	case report.Count(lint.Error) > 0:
		return &exitError{code: exitFound}
	}
	return nil
}

// parse checks the options.
func (o *lintOptions) parse(e *env) error {
	if o.heap != "" {
		heap, err := hbaseconf.ParseBytes(o.heap)
		if err != nil || heap < 1<<20 {
			return fmt.Errorf("--heap %s: give a size such as 16g", o.heap)
		}
		o.options.Heap = heap
	}
	if o.hadoop != "" {
		if err := hbaseconf.CheckVersion(o.hadoop); err != nil {
			return fmt.Errorf("--hadoop-version %s: give one such as 3.4.2", o.hadoop)
		}
	}
	if o.options.Version != "" {
		if err := checkVersion(e, o.options.Version); err != nil {
			return err
		}
	}
	if java := o.options.Java; java != 0 && (java < 8 || java > 99) {
		return fmt.Errorf("--java %d: give the number of a Java that HBase runs on, such as 8, 11 or 17", java)
	}
	if o.options.Regions < 0 {
		return fmt.Errorf("--regions %d: a RegionServer holds 0 or more", o.options.Regions)
	}
	o.options.Role = lint.Role(o.role)
	switch o.options.Role {
	case lint.RegionServer, lint.Master, lint.Client:
		return nil
	}
	return fmt.Errorf("--role %s: give regionserver, master or client", o.role)
}

func (o lintOptions) print(e *env, report lint.Report) error {
	switch {
	case e.json:
		return e.printJSON(report)
	case o.sarif:
		return report.WriteSARIF(e.Out, Version)
	}
	if report = report.Readable(); len(report.Files) == 0 {
		return nil // the error tells
	}
	return report.WriteText(e.Out, e.color())
}

// color reports whether what is printed may have colours.
func (e *env) color() bool {
	f, ok := e.Out.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// fixFiles writes what is safe to write.
func fixFiles(e *env, configs []lint.Config) (bool, error) {
	fixed := false
	for _, c := range configs {
		site, done, err := c.Fix()
		if err != nil {
			return fixed, badInput(err)
		}
		if site == nil {
			continue
		}
		backup, err := apply.Edit(site.Path(), c.Input.Site.Bytes(), site.Bytes())
		if err != nil {
			return fixed, targetError(err)
		}
		fixed = true
		var names []string
		for _, one := range done {
			names = append(names, one.Fix)
		}
		fmt.Fprintf(e.Err, "%s: %s (before: %s)\n", site.Path(), strings.Join(names, "; "), backup)
	}
	return fixed, nil
}

func explainRule(e *env, code string) error {
	rule, ok := lint.FindRule(code)
	if !ok {
		return badInput(fmt.Errorf("--explain %s: there is no such rule; `hbtune lint --rules` lists them", code))
	}
	text, err := rule.Text()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(e.Out, text)
	return err
}
