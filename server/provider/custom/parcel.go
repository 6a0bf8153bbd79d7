package custom

import (
	"cmp"
	"fmt"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// parcel is how a change names its parcel.
type parcel struct {
	path                              string
	consignment, tracking, fulfilment *expression
	goesBack                          *expression
	courier, reason                   *expression
}

// parcel compiles it: by the change's own names, or by those of the references where it has none.
func (b *builder) parcel() parcel {
	made := parcel{path: b.path}
	if b.set.GetConsignmentId()+b.set.GetTrackingNumber()+b.set.GetFulfilmentId() == "" {
		made.consignment = b.plan.named(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID)
		made.tracking = b.plan.named(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER)
		made.fulfilment = b.plan.named(waybillv1.ReferenceKind_REFERENCE_KIND_FULFILMENT_ID)
	} else {
		made.consignment = b.fact("consignment_id", b.set.GetConsignmentId())
		made.tracking = b.fact("tracking_number", b.set.GetTrackingNumber())
		made.fulfilment = b.fact("fulfilment_id", b.set.GetFulfilmentId())
	}
	made.goesBack = b.part("return_parcel", b.set.GetReturnParcel(), facts, aBool)
	made.courier = b.fact("courier", b.set.GetCourier())
	made.reason = b.fact("reason", b.set.GetReason())
	return made
}

// needParcel reports a change whose events could name no parcel.
func (b *builder) needParcel(p parcel) {
	if p.consignment == nil && p.tracking == nil && p.fulfilment == nil && len(b.problems) == 0 {
		b.report(b.path, "it is about a parcel that nothing names: write consignment_id or tracking_number, here or in references")
	}
}

// named gives the reference. nil: the event names no parcel.
func (p parcel) named(s *scope, names *provider.References) (*waybillv1.ShipmentReference, error) {
	var ids [3]string
	for i, one := range []struct {
		from *expression
		kind waybillv1.ReferenceKind
	}{
		{p.consignment, waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID},
		{p.tracking, waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER},
		{p.fulfilment, waybillv1.ReferenceKind_REFERENCE_KIND_FULFILMENT_ID},
	} {
		id, err := one.from.first(s)
		if err != nil {
			return nil, err
		}
		names.Add(one.kind, id)
		ids[i] = string(id)
	}
	back, err := p.goesBack.holds(s)
	if err != nil || ids == [3]string{} {
		return nil, err
	}
	return &waybillv1.ShipmentReference{
		ConsignmentId: ids[0], TrackingNumber: ids[1], FulfilmentId: ids[2], ReturnParcel: back,
	}, nil
}

// read gives the parcel that a change is about, and what comes with it.
func (p parcel) read(s *scope, names *provider.References) (provider.Parcel, error) {
	shipment, err := p.named(s, names)
	if err != nil {
		return provider.Parcel{}, err
	}
	if shipment == nil {
		return provider.Parcel{}, fmt.Errorf("%s names no parcel", p.path)
	}
	courier, err := p.courier.text(s)
	if err != nil {
		return provider.Parcel{}, err
	}
	reason, err := p.reason.text(s)
	if err != nil {
		return provider.Parcel{}, err
	}
	return provider.Parcel{
		Shipment: shipment, Courier: provider.Text(short(courier, 255)), Reason: provider.Text(short(reason, 2000)),
	}, nil
}

func statusChanged(b *builder) maker {
	about := b.parcel()
	b.needParcel(about)
	status := b.fact("status", b.set.GetStatus())
	location := b.fact("location", b.set.GetLocation())
	meanings := b.meanings(status)

	return func(s *scope, names *provider.References) ([]*waybillv1.Change, error) {
		of, err := about.read(s, names)
		if err != nil {
			return nil, err
		}
		word, err := status.text(s)
		if err != nil {
			return nil, err
		}
		of.Word = provider.Word(word)
		if of.Word.Fold() == "" {
			return nil, status.missing()
		}
		where, err := location.text(s)
		if err != nil {
			return nil, err
		}
		means, known := meanings.find(of.Word)
		if !known {
			return changed(provider.UnrecognisedChange(status.member("status"), of.Word)), nil
		}
		return said(of, means, provider.Text(short(where, 255))), nil
	}
}

// meanings is the table that a status is looked up in. One that the settings write out is one of our words.
func (b *builder) meanings(status *expression) table[meaning] {
	if status != nil && status.constant != "" {
		if _, ours := statuses[status.constant]; !ours {
			b.report(status.path, "a status that is written out is one of "+statusWords())
		}
		return statuses
	}
	if len(b.set.GetStatusMap()) > 0 {
		return tableOf(b.compiler, b.path+".status_map", b.set.GetStatusMap(), parseMeaning)
	}
	return b.plan.statuses
}

// said are the changes of a word with this meaning.
func said(of provider.Parcel, means meaning, where provider.Text) []*waybillv1.Change {
	if means.seen {
		return of.Seen(cmp.Or(of.Reason, provider.Text(of.Word)), where, provider.Moment{})
	}
	if of.Shipment.GetReturnParcel() {
		means.Meaning = means.GoingBack()
	}
	changes := of.Says(means.Meaning)
	if means.Ignored == "" {
		changes = append(changes, of.Seen("", where, provider.Moment{})...)
	}
	return changes
}

func shipmentAnnounced(b *builder) maker {
	about := b.parcel()
	b.needParcel(about)
	inside := b.part("units", b.set.GetUnits(), facts, someRows)

	return func(s *scope, names *provider.References) ([]*waybillv1.Change, error) {
		of, err := about.read(s, names)
		if err != nil {
			return nil, err
		}
		changes := of.Says(provider.Meaning{Announced: true})
		units, err := unitsOf(s, inside)
		if err != nil {
			return nil, err
		}
		changes[0].GetShipmentAnnounced().Units = units
		return changes, nil
	}
}

// unitsOf reads what is in a parcel. A bare line is one unit of it.
func unitsOf(s *scope, inside *expression) ([]*waybillv1.ShipmentUnits, error) {
	rows, err := inside.rows(s)
	if err != nil {
		return nil, err
	}
	var units []*waybillv1.ShipmentUnits
	known := make(map[provider.ID]*waybillv1.ShipmentUnits)
	for _, one := range rows {
		line, quantity := one.bare, int64(1)
		if one.members != nil {
			if line, err = one.member("line_id"); err != nil {
				return nil, err
			}
			if quantity, err = one.quantity(); err != nil {
				return nil, err
			}
		}
		if known[line] == nil {
			known[line] = &waybillv1.ShipmentUnits{LineId: string(line)}
			units = append(units, known[line])
		}
		known[line].Quantity += quantity
	}
	return units, nil
}

func checkpoint(b *builder) maker {
	about := b.parcel()
	b.needParcel(about)
	description := b.fact("description", b.set.GetDescription())
	location := b.fact("location", b.set.GetLocation())
	if b.set.GetDescription()+b.set.GetLocation() == "" {
		b.report(b.path, "a checkpoint says what or where: write description or location")
	}

	return func(s *scope, names *provider.References) ([]*waybillv1.Change, error) {
		of, err := about.read(s, names)
		if err != nil {
			return nil, err
		}
		what, err := description.text(s)
		if err != nil {
			return nil, err
		}
		where, err := location.text(s)
		if err != nil {
			return nil, err
		}
		return of.Seen(provider.Text(short(what, 2000)), provider.Text(short(where, 255)), provider.Moment{}), nil
	}
}

func fact(b *builder) maker {
	about := b.parcel()
	description := b.fact("description", b.set.GetDescription())
	amount := b.money()

	return func(s *scope, names *provider.References) ([]*waybillv1.Change, error) {
		shipment, err := about.named(s, names)
		if err != nil {
			return nil, err
		}
		detail, err := description.text(s)
		if err != nil {
			return nil, err
		}
		money, err := amount.read(s)
		if err != nil {
			return nil, err
		}
		return changed(provider.FactChange(&waybillv1.Fact{
			Name:           b.set.GetName(),
			Shipment:       shipment,
			Detail:         short(detail, 2000),
			Amount:         money,
			NeedsAttention: b.set.GetNeedsAttention(),
		})), nil
	}
}
