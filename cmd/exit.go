package cmd

import (
	"context"
	"errors"
)

// Exit codes, the same for every command.
const (
	exitDone        = 0
	exitFound       = 1 // done, and something was found or refused
	exitBadInput    = 2
	exitTarget      = 3 // the target failed
	exitInterrupted = 4 // interrupted, and restored
	exitNotRestored = 5 // interrupted or failed, and NOT restored
)

// exitError is an error with its exit code; without err it ends the command
// quietly, everything having been said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// withCode gives an error its exit code; nil stays nil.
func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: code, err: err}
}

func badInput(err error) error    { return withCode(exitBadInput, err) }
func targetError(err error) error { return withCode(exitTarget, err) }

// exitCode is the innermost code that was given to the error. An error that
// was given none is the target's, for input is checked where it is read.
func exitCode(err error) int {
	code := 0
	for e := err; e != nil; e = errors.Unwrap(e) {
		if coded, ok := e.(*exitError); ok {
			code = coded.code
		}
	}
	switch {
	case code != 0:
		return code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitTarget
	}
}
