package hbaseconf

import "fmt"

// Fault classes of a SiteError.
const (
	FaultMalformed = "malformed" // not well-formed XML
	FaultInclude   = "include"   // an included file cannot be had
	FaultEncoding  = "encoding"  // bytes that are not what the file says
	FaultTooLarge  = "too-large" // beyond what is read at all
	FaultNotSite   = "not-a-site-file"
	FaultTemplate  = "template"
	FaultStack     = "stack-definition"
	FaultEdit      = "cannot-edit"
)

// SiteError says why a file cannot be read as a site file, or not be edited.
type SiteError struct {
	Path   string
	Line   int    // 0 where no line is to blame
	Fault  string // one of the Fault… constants
	Reason string // what it is and what to do
}

func (e *SiteError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s: %s", e.Path, e.Reason)
}
