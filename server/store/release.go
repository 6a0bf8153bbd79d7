package store

import (
	"context"
	"fmt"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/pendingitem"
)

// Release gives claimed items back untried: they are due as before, and their attempts don't count. It is for batches
// that failed through no fault of their items. Items that are not the caller's any more are left alone.
func (s *Store) Release(ctx context.Context, claims []Claim) error {
	err := s.write(ctx, func(tx *ent.Tx) error {
		for _, claim := range claims {
			err := tx.PendingItem.Update().
				Where(pendingitem.ID(claim.ID), pendingitem.Account(claim.Account), pendingitem.Fence(claim.Fence)).
				AddFence(1).AddAttempts(-1).ClearLeasedUntil().
				Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("pending items: release: %w", err)
	}
	for _, claim := range claims {
		s.fair.goBack(claim.Account)
	}
	return nil
}
