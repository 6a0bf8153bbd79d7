package order

// Status is where an order or a shipment stands. Shipments start at Processing.
type Status string

// The statuses.
const (
	Pending        Status = "pending"
	Confirmed      Status = "confirmed"
	Processing     Status = "processing"
	Shipped        Status = "shipped"
	InTransit      Status = "in_transit"
	OutForDelivery Status = "out_for_delivery"
	FailedDelivery Status = "failed_delivery"
	Returning      Status = "returning"
	Delivered      Status = "delivered"
	Returned       Status = "returned"
	Cancelled      Status = "cancelled"
)

// PaymentStatus is where an order's money stands.
type PaymentStatus string

// The payment statuses.
const (
	PaymentPending           PaymentStatus = "pending"
	PaymentAuthorized        PaymentStatus = "authorized"
	PaymentPartiallyPaid     PaymentStatus = "partially_paid"
	PaymentPaid              PaymentStatus = "paid"
	PaymentFailed            PaymentStatus = "failed"
	PaymentPartiallyRefunded PaymentStatus = "partially_refunded"
	PaymentRefunded          PaymentStatus = "refunded"
	PaymentDisputed          PaymentStatus = "disputed"
	PaymentVoided            PaymentStatus = "voided"
)
