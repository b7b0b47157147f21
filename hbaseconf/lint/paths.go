package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/envfile"
)

// Config is a configuration that was named on a command line, with what was
// found in it.
type Config struct {
	Input  Input
	Report Report
}

// Paths reads files and folders and judges every configuration among them. A
// folder stands for the hbase-site.xml and hbase-env.sh in it; an hbase-env.sh
// belongs to the site files of its own folder, or to all of them if it is the
// only one. The error lists what is no configuration at all; a site file with
// which no daemon would start is a finding, since it is one.
func Paths(paths []string, o Options, environment hbaseconf.Environment) ([]Config, error) {
	r := reading{options: o, environment: environment}
	for _, path := range paths {
		r.path(path)
	}
	r.pair()
	for i := range r.configs {
		if c := &r.configs[i]; c.Input.Site != nil || c.Input.Env != nil {
			found := Run(c.Input)
			c.Report.Files = append(c.Report.Files, found.Files...)
			c.Report.Findings = append(c.Report.Findings, found.Findings...)
		}
	}
	return r.configs, errors.Join(r.bad...)
}

// Joined is the report on all configurations.
func Joined(configs []Config) Report {
	all := Report{Files: []File{}, Findings: []Finding{}}
	for _, c := range configs {
		all.Files = append(all.Files, c.Report.Files...)
		all.Findings = append(all.Findings, c.Report.Findings...)
	}
	return all
}

// reading gathers configurations.
type reading struct {
	options     Options
	environment hbaseconf.Environment
	configs     []Config
	envs        []*envfile.File
	bad         []error
}

func (r *reading) path(path string) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.bad = append(r.bad, fmt.Errorf("%s does not exist", path))
	case err != nil:
		r.bad = append(r.bad, fmt.Errorf("read configuration: %w", err))
	case info.IsDir():
		r.folder(path)
	case isEnv(path):
		r.env(path)
	default:
		r.site(path)
	}
}

// isEnv tells an hbase-env.sh by its name.
func isEnv(path string) bool {
	name := filepath.Base(path)
	return filepath.Ext(name) == ".sh" || strings.Contains(name, "hbase-env")
}

func (r *reading) folder(dir string) {
	found := false
	for _, name := range []string{"hbase-site.xml", "hbase-env.sh"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			continue
		}
		found = true
		r.path(path)
	}
	if !found {
		r.bad = append(r.bad, fmt.Errorf("%s is a folder that holds neither hbase-site.xml nor hbase-env.sh; name the folder that HBASE_CONF_DIR names, or a file", dir))
	}
}

func (r *reading) site(path string) {
	site, err := hbaseconf.Reader{Outside: r.options.IncludeOutside}.Read(path)
	if err != nil {
		r.unreadable(path, err)
		return
	}
	r.configs = append(r.configs, Config{Input: Input{Options: r.options, Site: site, Environment: r.environment}})
}

func (r *reading) env(path string) {
	env, err := envfile.Read(path)
	if err != nil {
		r.unreadable(path, err)
		return
	}
	r.envs = append(r.envs, env)
}

// unreadable notes a file that cannot be judged.
func (r *reading) unreadable(path string, err error) {
	var site *hbaseconf.SiteError
	if !errors.As(err, &site) || site.Fault == hbaseconf.FaultNotSite || site.Fault == hbaseconf.FaultTooLarge {
		r.bad = append(r.bad, err)
	}
	if site == nil {
		return
	}
	r.configs = append(r.configs, Config{Report: Report{
		Files:    []File{{Path: path, Properties: map[string]string{}, Unreadable: []string{}}},
		Findings: []Finding{{File: site.Path, Line: site.Line, Severity: Error, Code: site.Fault, Message: site.Reason}},
	}})
}

// pair gives every hbase-env.sh to the site files that it belongs to.
func (r *reading) pair() {
	for _, env := range r.envs {
		used := false
		for i := range r.configs {
			in := &r.configs[i].Input
			near := in.Site != nil && filepath.Dir(in.Site.Path()) == filepath.Dir(env.Path())
			if in.Site != nil && in.Env == nil && (near || len(r.envs) == 1) {
				in.Env, used = env, true
			}
		}
		if !used {
			r.configs = append(r.configs, Config{Input: Input{Options: r.options, Env: env, Environment: r.environment}})
		}
	}
}
