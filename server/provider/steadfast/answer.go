package steadfast

import (
	"encoding/json"

	"github.com/waybillhq/waybill/server/provider"
)

// Answer words a result with the two members that Steadfast's panel shows, status and message, beside Waybill's own.
func (*courier) Answer(res provider.Result) provider.Answer {
	answer := provider.DefaultAnswer(res)
	var body map[string]any
	if err := json.Unmarshal(answer.Body, &body); err != nil {
		return answer
	}
	body["status"], body["message"] = "error", res.Message
	if res.Verdict == provider.Accepted {
		body["status"], body["message"] = "success", "received"
	}
	answer.Body = provider.JSON(answer.Status, body).Body
	return answer
}
