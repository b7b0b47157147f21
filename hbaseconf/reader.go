package hbaseconf

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxFileBytes is the size beyond which a file is not taken for a
	// configuration.
	maxFileBytes = 16 << 20
	// maxIncludes bounds the files that one file includes, directly or not.
	maxIncludes = 1000
)

// Reader reads site files with the files that they include. The zero Reader
// reads those from below the folder of the site file, and from nowhere else.
type Reader struct {
	// ConfDir is the folder on the daemon's class path in which included files
	// are looked up first; empty means that of the file itself.
	ConfDir string
	// Outside allows included files from outside of the folder.
	Outside bool
}

// ParseSite reads the bytes of a site file that lies at path. Only included
// files are read from disk, and only from below the folder of path.
func ParseSite(path string, data []byte) (*Site, error) { return Reader{}.Parse(path, data) }

// ReadSite reads the site file at path.
func ReadSite(path string) (*Site, error) { return Reader{}.Read(path) }

// Read reads the site file at path.
func (r Reader) Read(path string) (*Site, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	return r.start(path, text)
}

// Parse reads the bytes of a site file that lies at path.
func (r Reader) Parse(path string, data []byte) (*Site, error) {
	return r.start(path, string(data))
}

// start reads the outermost file.
func (r Reader) start(path, data string) (*Site, error) {
	if r.ConfDir == "" {
		r.ConfDir = filepath.Dir(path)
	}
	return r.parse(path, data, inclusion{files: []string{path}, total: new(int)})
}

// inclusion is where a file stands among those that include each other.
type inclusion struct {
	files []string // the file and those that include it, outermost first
	total *int     // files included so far, in all
}

func (in inclusion) including(path string) inclusion {
	*in.total++
	return inclusion{append(slices.Clip(in.files), path), in.total}
}

// parse reads one file.
func (r Reader) parse(path, data string, in inclusion) (*Site, error) {
	if len(data) > maxFileBytes {
		return nil, tooLarge(path)
	}
	if reason := notXML(data); reason != "" {
		return nil, &SiteError{Path: path, Fault: FaultNotSite, Reason: reason}
	}
	text, enc, err := decode(data)
	if err != nil {
		return nil, &SiteError{Path: path, Fault: FaultEncoding, Reason: err.Error()}
	}
	doc, fault := scan(text)
	if fault != nil {
		return nil, explain(path, text, fault)
	}
	if reason := notSite(doc); reason != "" {
		return nil, &SiteError{Path: path, Fault: FaultNotSite, Reason: reason}
	}
	items, err := load(doc, path, func(href string, line int) ([]item, bool, error) {
		return r.include(href, line, in)
	})
	if err != nil {
		return nil, err
	}
	return newSite(r, path, enc, doc, items), nil
}

// include reads an included file. Hadoop looks for it on the class path first,
// then beside the outermost file, also when an included file includes more.
func (r Reader) include(href string, line int, in inclusion) ([]item, bool, error) {
	from := in.files[len(in.files)-1]
	refuse := func(format string, args ...any) error {
		return &SiteError{Path: from, Line: line, Fault: FaultInclude, Reason: fmt.Sprintf(format, args...)}
	}
	name, isFile := strings.CutPrefix(href, "file:")
	if isFile {
		name = "/" + strings.TrimLeft(name, "/")
	} else if scheme, _, ok := strings.Cut(href, ":"); ok && len(scheme) > 1 && !strings.ContainsAny(scheme, "/\\.") {
		return nil, false, refuse("includes %s; only files are read, none from the network", href)
	}
	for _, dir := range []string{r.ConfDir, filepath.Dir(in.files[0])} {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		data, err := r.readInclude(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, false, refuse("includes %s: %v", href, err)
		case *in.total >= maxIncludes:
			return nil, false, refuse("includes %s: more than %d files are included", href, maxIncludes)
		case slices.ContainsFunc(in.files, func(above string) bool { return sameFile(above, path) }):
			return nil, false, refuse("includes %s, which includes itself", href)
		}
		site, err := r.parse(path, data, in.including(path))
		if err != nil {
			return nil, false, err
		}
		items := site.items
		for i := range items {
			items[i].property, items[i].valueIn = -1, -1
		}
		return items, true, nil
	}
	return nil, false, nil
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// readInclude reads a file that must lie below ConfDir, links followed, unless
// Outside allows it elsewhere.
func (r Reader) readInclude(path string) (string, error) {
	if r.Outside {
		return readText(path)
	}
	dir, err := filepath.Abs(r.ConfDir)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	inner, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(inner) {
		return "", fmt.Errorf("the file lies outside of %s and is not read", r.ConfDir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Stat(inner)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return "", errors.New("it is no regular file")
	}
	f, err := root.Open(inner)
	if err != nil {
		return "", err
	}
	return readAll(path, f)
}

// ReadFile reads a file that people write by hand: a regular one, as a pipe would
// be waited for for ever, of a size that such files have.
func ReadFile(path string) ([]byte, error) {
	text, err := readText(path)
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return nil, fault // what the file is for the caller says
	}
	if err != nil {
		return nil, err
	}
	return []byte(text), nil
}

func readText(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read configuration: %w", err)
	}
	if info.IsDir() {
		return "", &SiteError{Path: path, Fault: FaultNotSite, Reason: "is a folder; name the file, such as " + filepath.Join(path, "hbase-site.xml")}
	}
	if !info.Mode().IsRegular() {
		return "", &SiteError{Path: path, Fault: FaultNotSite, Reason: "is no regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read configuration: %w", err)
	}
	return readAll(path, f)
}

// readAll reads and closes a file, of which it takes no more than is allowed.
func readAll(path string, f *os.File) (string, error) {
	defer f.Close()
	var b strings.Builder
	if info, err := f.Stat(); err == nil && info.Size() <= maxFileBytes {
		b.Grow(int(info.Size()))
	}
	if _, err := io.Copy(&b, io.LimitReader(f, maxFileBytes+1)); err != nil {
		return "", fmt.Errorf("read configuration: %w", err)
	}
	if b.Len() > maxFileBytes {
		return "", tooLarge(path)
	}
	return b.String(), nil
}

func tooLarge(path string) error {
	return &SiteError{Path: path, Fault: FaultTooLarge, Reason: fmt.Sprintf("is larger than %d MB; that is no configuration file", maxFileBytes>>20)}
}
