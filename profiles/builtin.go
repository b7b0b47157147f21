package profiles

import (
	"embed"
	"fmt"
	"io/fs"

	"hbtune/hbaseconf"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// Builtin returns the profiles that ship with hbtune, by name. They are starting
// points that others have published, not measurements of hbtune's.
func Builtin(catalogue *hbaseconf.Catalogue) ([]Profile, error) {
	paths, err := fs.Glob(builtinFiles, "builtin/*.yaml")
	if err != nil {
		return nil, err
	}
	var list []Profile
	for _, path := range paths {
		data, err := builtinFiles.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p, err := Parse(path, data, catalogue)
		if err != nil {
			return nil, fmt.Errorf("built-in profile: %w", err)
		}
		list = append(list, p)
	}
	return list, nil
}
