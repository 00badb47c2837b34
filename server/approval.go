package server

import (
	"fairlead/fault"
	"fairlead/permission"
	"fairlead/session"
)

// Approvals are the questions that wait, oldest first.
type Approvals struct {
	Approvals []permission.Waiting `json:"approvals"`
}

func (s *Server) listApprovals(c *call) (any, error) {
	return Approvals{s.options.Gate.Waiting(session.ID(c.URL.Query().Get("session")))}, nil
}

// ApprovalAnswer is a person's answer. Hash is that of the card that was shown.
type ApprovalAnswer struct {
	Session  string `json:"session"`
	Decision string `json:"decision"` // "approve" or "deny"
	Hash     string `json:"hash"`
	Note     string `json:"note,omitempty"`
	Rule     string `json:"rule,omitempty"`
}

func (s *Server) answerApproval(c *call) (any, error) {
	var a ApprovalAnswer
	if err := c.read(&a); err != nil {
		return nil, err
	}
	if a.Decision != "approve" && a.Decision != "deny" {
		return nil, fault.New(fault.Invalid, "server.approval", "decision is %q; it is approve or deny. Nothing was decided.", a.Decision)
	}
	err := s.options.Gate.Decide(c.Context(), c.PathValue("call"),
		permission.Decision{Session: a.Session, Approve: a.Decision == "approve", Hash: a.Hash, Note: a.Note, Rule: a.Rule})
	return struct{}{}, err
}
