package webhook_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/webhook"
)

// noted is a scan with a note for people.
func noted(note string) string {
	return strings.Replace(scan, `"event_status"`, `"message":"`+note+`","event_status"`, 1)
}

func utf16Bytes(order binary.ByteOrder, text string) []byte {
	var made bytes.Buffer
	for _, unit := range utf16.Encode([]rune(text)) {
		_ = binary.Write(&made, order, unit)
	}
	return made.Bytes()
}

func TestTextIsReadInTheCharsetThatItsSenderNamesAndKeptUntouched(t *testing.T) {
	t.Parallel()
	const umlaut, marks, kanji = "Zugestellt in Köln", "„Köln“ – 5 €", "ハイタツ"
	latin1, _ := charmap.ISO8859_1.NewEncoder().String(noted(umlaut))
	windows, _ := charmap.Windows1252.NewEncoder().String(noted(marks))
	cyrillic, _ := charmap.Windows1251.NewEncoder().String(noted("Доставлено"))
	shiftJIS, _ := japanese.ShiftJIS.NewEncoder().String(noted(kanji))

	for name, test := range map[string]struct{ contentType, sent, note string }{
		"latin-1":                        {"application/json; charset=iso-8859-1", latin1, umlaut},
		"latin-1 by another name":        {`application/json;Charset="Latin1"`, latin1, umlaut},
		"windows-1252":                   {"application/json; charset=windows-1252", windows, marks},
		"windows-1252 called latin-1":    {"text/plain; charset=ISO-8859-1;", windows, marks},
		"windows-1251":                   {"application/json; charset=cp1251", cyrillic, "Доставлено"},
		"shift_jis":                      {"application/json; charset=shift_jis", shiftJIS, kanji},
		"utf-16 with a mark":             {"application/json; charset=utf-16", "\xfe\xff" + string(utf16Bytes(binary.BigEndian, noted(kanji))), kanji},
		"utf-16le":                       {"application/json; charset=utf-16le", string(utf16Bytes(binary.LittleEndian, noted(kanji))), kanji},
		"utf-16be":                       {"application/json; charset=utf-16be", string(utf16Bytes(binary.BigEndian, noted(kanji))), kanji},
		"a mark that is stronger":        {"application/json; charset=iso-8859-1", "\ufeff" + noted(marks), marks},
		"utf-8":                          {"application/json; charset=UTF-8", noted(marks), marks},
		"utf-8 with a mark":              {"application/json; charset=utf-8", "\ufeff" + noted(marks), marks},
		"nothing":                        {"application/json", noted(marks), marks},
		"no content type":                {"", noted(marks), marks},
		"a charset that nobody knows":    {"application/json; charset=klingon", noted(marks), marks},
		"a content type out of shape":    {"application/json; charset", noted(marks), marks},
		"latin-1 that doesn't say so":    {"application/json", latin1, "Zugestellt in K\uFFFDln"},
		"latin-1 that calls itself utf8": {"application/json; charset=utf8", latin1, "Zugestellt in K\uFFFDln"},
	} {
		var opened []provider.Opened
		d := newDoor(t, func(opts *webhook.Options) { opened = opts.Providers })
		r := delivery(t, []byte(test.sent), []byte(test.sent), "Content-Type", test.contentType)
		if w := d.serve(r); w.Code != 200 || len(d.client.seen()) != 1 {
			t.Errorf("%s: answer %d %s", name, w.Code, w.Body)
			continue
		}
		event := d.client.seen()[0]
		if summary(event) != "status_changed" || event.GetChanges()[0].GetStatusChanged().GetReason() != test.note {
			t.Errorf("%s: reads %v, want the note %q", name, event.GetChanges(), test.note)
		}
		if string(event.GetRaw().GetBody()) != test.sent || event.GetRaw().GetContentType() != test.contentType {
			t.Errorf("%s: the bytes were not kept as they came", name)
		}
		again, _, err := webhook.NewRetranslator(opened).Retranslate("shop", "courier", event.GetRaw(), now)
		if err != nil || again[0].GetChanges()[0].GetStatusChanged().GetReason() != test.note {
			t.Errorf("%s: translated again as %v, %v", name, again, err)
		}
	}
}

func TestTextMayBeBothCompressedAndInAnotherCharset(t *testing.T) {
	t.Parallel()
	latin1, _ := charmap.ISO8859_1.NewEncoder().String(noted("Köln"))
	zipped := compressed(t, "gzip", []byte(latin1))
	for name, test := range map[string]struct{ proven, kept []byte }{
		"proven uncompressed": {[]byte(latin1), []byte(latin1)},
		"proven as it came":   {zipped, zipped},
	} {
		d := newDoor(t, nil)
		d.serve(delivery(t, test.proven, zipped, "Content-Encoding", "gzip", "Content-Type", "application/json; charset=latin1"))
		event := d.client.seen()[0]
		if event.GetChanges()[0].GetStatusChanged().GetReason() != "Köln" || !bytes.Equal(event.GetRaw().GetBody(), test.kept) {
			t.Errorf("%s: recorded %v", name, event)
		}
	}
}

func TestBytesThatAreNotWhatTheirCharsetSaysAreKeptUndecoded(t *testing.T) {
	t.Parallel()
	for _, charset := range []string{"utf-16", "utf-16be", "iso-2022-kr", "x-user-defined"} {
		d := newDoor(t, nil)
		body := strings.ReplaceAll(noted("Köln"), "{", "\xe0{")
		w := d.serve(delivery(t, []byte(body), []byte(body), "Content-Type", "application/json; charset="+charset))
		if w.Code != 200 || summary(d.client.seen()[0]) != "undecoded" || string(d.client.seen()[0].GetRaw().GetBody()) != body {
			t.Errorf("%s: answer %d, recorded %v", charset, w.Code, d.client.seen())
		}
	}
}
