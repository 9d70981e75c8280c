package controller

import (
	"slices"
	"testing"
)

// priorityd serves before it has read its events again. However long it was away, the ten minutes begin then.
func TestTheTenMinutesBeginAfterAnOutage(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	minutes := map[string][3]float64{"a": {10, 60, 240}}
	s.priorityd.minutes = minutes
	s.passAfter(0)
	for range 2 {
		s.priorityd.err = errAway
		for range 60 {
			s.passAfter(1)
		}
		s.priorityd.err, s.priorityd.minutes = nil, nil
		for minute := range 10 {
			if got := s.passAfter(1); len(got) > 0 {
				t.Fatalf("got %v written %d minutes after the outage, want nothing", got, minute)
			}
		}
	}
	if got := s.passAfter(1); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %v written ten minutes after the outage, want a", got)
	}
}

func TestTheTenMinutesBeginAgainAfterAForecast(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	s.priorityd.minutes = map[string][3]float64{"a": {600, 700, 800}}
	s.passAfter(0)
	s.priorityd.minutes = nil
	s.passAfter(1)
	s.priorityd.minutes = map[string][3]float64{"a": {595, 695, 795}}
	s.passAfter(5)
	s.priorityd.minutes = nil
	s.passAfter(1)
	if got := s.passAfter(9); len(got) > 0 {
		t.Errorf("got %v written, want nothing", got)
	}
}
