package hbase

import (
	"errors"
	"net"

	"hbtune/sweep/hbase/wire"
)

// action is what the client does before it tries again.
type action int

const (
	// giveUp: trying again cannot help.
	giveUp action = iota
	// stay: the location is right; back off and try the same server.
	stay
	// relocate: forget the region's location, back off, look it up again.
	relocate
	// follow: the exception names the region's new server; go there at once.
	follow
	// leaveServer: forget everything that is on the server and the connection to
	// it, back off.
	leaveServer
	// atOnce: try again without a pause.
	atOnce
	// reopen: a scan opens a new scanner after the last row it has seen. For
	// anything else it means giveUp.
	reopen
	// halve: a batch is sent again in smaller pieces. For anything else it means
	// giveUp.
	halve
	// relocateOnce: as relocate the first time, then giveUp.
	relocateOnce
)

// reaction is what an exception asks for.
type reaction struct {
	action action
	// overloaded asks for the longer pause.
	overloaded bool
}

// isFinal reports that the operation ends with the failure.
func (r reaction) isFinal() bool {
	return r.action == giveUp || r.action == reopen || r.action == halve
}

// reactions says what to do about each exception that servers are known to
// send, by class name without package. Those inside an answer to Multi carry
// no do-not-retry flag, so that the table must be complete enough without it.
var reactions = map[string]reaction{
	"NotServingRegionException": {action: relocate},
	"WrongRegionException":      {action: relocate},
	"RegionMovedException":      {action: follow},
	"FailedSanityCheckException": {
		// Nearly always a row outside the region: a stale location.
		action: relocateOnce,
	},

	"RegionOpeningException":       {action: stay},
	"RegionTooBusyException":       {action: stay},
	"ServerNotRunningYetException": {action: stay},
	"PleaseHoldException":          {action: stay},
	"MasterNotRunningException":    {action: leaveServer},
	"RpcThrottlingException":       {action: stay},
	"CallQueueTooBigException":     {action: stay, overloaded: true},
	"CallDroppedException":         {action: stay, overloaded: true},
	"CallTimeoutException":         {action: stay},
	"TimeoutIOException":           {action: stay},

	"MultiActionResultTooLarge": {action: atOnce},
	"RetryImmediatelyException": {action: atOnce},
	"RequestTooBigException":    {action: halve},

	"RegionServerStoppedException":     {action: leaveServer},
	"RegionServerAbortedException":     {action: leaveServer},
	"DoNotRetryRegionException":        {action: giveUp},
	"NotAllMetaRegionsOnlineException": {action: relocate},

	"ScannerResetException":          {action: reopen},
	"UnknownScannerException":        {action: reopen},
	"OutOfOrderScannerNextException": {action: reopen},
	"LeaseException":                 {action: reopen},

	"TableNotFoundException":          {action: giveUp},
	"TableExistsException":            {action: giveUp},
	"TableNotEnabledException":        {action: giveUp},
	"TableNotDisabledException":       {action: giveUp},
	"NamespaceNotFoundException":      {action: giveUp},
	"NoSuchColumnFamilyException":     {action: giveUp},
	"InvalidFamilyOperationException": {action: giveUp},
	"AccessDeniedException":           {action: giveUp},
	"DoNotRetryIOException":           {action: giveUp},
	"FatalConnectionException":        {action: giveUp},
	"WrongVersionException":           {action: giveUp},
	"UnsupportedCellCodecException":   {action: giveUp},
	"UnsupportedOperationException":   {action: giveUp},
	"IllegalArgumentException":        {action: giveUp},
}

// reactionTo looks an exception up. What is not in the table goes by the
// server's flag; without it the location is doubted, as Java's client does.
func reactionTo(class string, doNotRetry bool) reaction {
	if r, ok := reactions[class]; ok {
		return r
	}
	if doNotRetry {
		return reaction{action: giveUp}
	}
	return reaction{action: relocate}
}

// reactionToError extends the table to failures that are not exceptions.
func reactionToError(err error) reaction {
	var e *exception
	var c *connError
	switch {
	case errors.As(err, &e):
		return e.reaction
	case isContextError(err), errors.Is(err, ErrClosed),
		errors.Is(err, ErrTableNotFound), errors.Is(err, ErrTableDisabled):
		return reaction{action: giveUp}
	case errors.Is(err, errNoRegion), errors.Is(err, errNoZNode), errors.Is(err, errNoMaster):
		return reaction{action: relocate}
	case errors.Is(err, errTimeout):
		return reaction{action: leaveServer}
	case errors.As(err, &c):
		if isHopeless(c.err) {
			return reaction{action: giveUp}
		}
		return reaction{action: leaveServer}
	case errors.Is(err, wire.ErrMalformed):
		return reaction{action: leaveServer}
	}
	return reaction{action: giveUp}
}

// isHopeless reports connection failures that another try meets again: a name
// that doesn't resolve, a port that doesn't speak HBase's protocol.
func isHopeless(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound || errors.Is(err, wire.ErrNotRPC)
}
