package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/waybillhq/waybill/server/store/storetest/pgtest"
)

// testDatabase is the URL of the PostgreSQL database that a test's servers share. Empty: each has a file of its own.
type testDatabase string

// env is what tells a server where its database is.
func (d testDatabase) env() []string {
	if d == "" {
		return nil
	}
	return []string{"WAYBILL_DATABASE_URL=" + string(d)}
}

const onPostgreSQL = "TestStoriesOnPostgreSQL"

// chosenDatabase is the database that a test runs on: its own file, or, as a part of TestStoriesOnPostgreSQL, its own
// database on the tests' server.
func chosenDatabase(t *testing.T) testDatabase {
	t.Helper()
	if root, _, _ := strings.Cut(t.Name(), "/"); root != onPostgreSQL {
		return ""
	}
	return testDatabase(pgtest.Fresh(t, migrateDatabase))
}

// openRivals starts two more servers on a database, so that a story is three processes' work. Stories with scripted
// faults have none: what must fail in one process would be done by another.
func openRivals(t *testing.T, database testDatabase, config string) {
	t.Helper()
	for range 2 {
		openShopOn(t, database, config)
	}
}

// migrateDatabase does what an operator does before the first start.
func migrateDatabase(ctx context.Context, url string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program, "migrate", "--database-url", url)
	command.Args[0] = "waybill" // the test binary is waybill under that name
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("waybill migrate: %w: %s", err, said)
	}
	return nil
}

// stories are the tests of the whole process. By themselves they run on SQLite.
var stories = map[string]func(t *testing.T){
	"TestTheSettingsOfTheDoorReachIt":                           TestTheSettingsOfTheDoorReachIt,
	"TestEverySampleOfEveryKindMakesTheRoundTrip":               TestEverySampleOfEveryKindMakesTheRoundTrip,
	"TestFiftyCopiesAtOnceAreOneEventWithOneEffect":             TestFiftyCopiesAtOnceAreOneEventWithOneEffect,
	"TestTheSameIdentityWithAnotherAmountIsKeptAndNeverApplied": TestTheSameIdentityWithAnotherAmountIsKeptAndNeverApplied,
	"TestAServerThatDiesAroundAReceipt":                         TestAServerThatDiesAroundAReceipt,
	"TestAFailingStoreIsARefusalThatTheSenderMayRepeat":         TestAFailingStoreIsARefusalThatTheSenderMayRepeat,
	"TestADecisionThatFailsOnceIsTakenAgain":                    TestADecisionThatFailsOnceIsTakenAgain,
	"TestTwentyKillsUnderLoad":                                  TestTwentyKillsUnderLoad,
	"TestCommandsAgainstTheRealServer":                          TestCommandsAgainstTheRealServer,
	"TestThreeTypesThatReportOnePaymentPayOnceInEveryOrder":     TestThreeTypesThatReportOnePaymentPayOnceInEveryOrder,
	"TestACheckoutThatCompletesUnpaidPaysOnlyWhenTheMoneyComes": TestACheckoutThatCompletesUnpaidPaysOnlyWhenTheMoneyComes,
	"TestARedeliveryThatIsSignedAnewIsADuplicate":               TestARedeliveryThatIsSignedAnewIsADuplicate,
	"TestAPaymentThatFailedFirstPaysWhenItSucceeds":             TestAPaymentThatFailedFirstPaysWhenItSucceeds,
	"TestAPaymentBeforeItsOrderWaitsInSightAndIsWoken":          TestAPaymentBeforeItsOrderWaitsInSightAndIsWoken,
	"TestMoneyForACancelledOrderIsSeenAndWakesNothing":          TestMoneyForACancelledOrderIsSeenAndWakesNothing,
	"TestADisputeOpensOnACancelledAndOnAPaidOrder":              TestADisputeOpensOnACancelledAndOnAPaidOrder,
	"TestRefundsThatAreRunningTotalsAreNotAdded":                TestRefundsThatAreRunningTotalsAreNotAdded,
	"TestAnotherCurrencyDoesNotPay":                             TestAnotherCurrencyDoesNotPay,
	"TestYenHaveNoCents":                                        TestYenHaveNoCents,
	"TestProbesTellNothingAndPathsNeverRedirect":                TestProbesTellNothingAndPathsNeverRedirect,
	"TestWhatNobodyProvesLeavesNoRecord":                        TestWhatNobodyProvesLeavesNoRecord,
	"TestTypesThatNobodyNeedsAreRecordedAndIgnored":             TestTypesThatNobodyNeedsAreRecordedAndIgnored,
	"TestTheBytesThatCameAreTheBytesThatAreKept":                TestTheBytesThatCameAreTheBytesThatAreKept,
	"TestIdsBeyondFloatsStayApart":                              TestIdsBeyondFloatsStayApart,
	"TestThirtyEventsAtOnceWhileALongReadIsOpen":                TestThirtyEventsAtOnceWhileALongReadIsOpen,
	"TestAParcelEndsWhereItsFactsSayWhateverCameFirst":          TestAParcelEndsWhereItsFactsSayWhateverCameFirst,
	"TestAnUpdateOlderThanTheCancellationRevivesNothing":        TestAnUpdateOlderThanTheCancellationRevivesNothing,
	"TestReprocessingFinishedWorkChangesNothingAndIsAudited":    TestReprocessingFinishedWorkChangesNothingAndIsAudited,
	"TestTheDoorMayStandInAProcessOfItsOwn":                     TestTheDoorMayStandInAProcessOfItsOwn,
}

// oneDatabase are tests that open a shop and play on one database only, with the reason.
var oneDatabase = map[string]string{
	"TestANewProviderIsOneFolderAndALineOfTheCatalogue":     "it is about what is built, which takes long",
	"TestAServerWithoutItsWorkerLeavesTheDecidingToAnother": "a rival's worker would decide what must wait",
}

// TestStoriesOnPostgreSQL plays every story again, on the other database.
func TestStoriesOnPostgreSQL(t *testing.T) {
	t.Parallel()
	for name, story := range stories {
		// A story says by itself that it runs beside others.
		t.Run(strings.TrimPrefix(name, "Test"), story)
	}
}

// TestEveryStoryIsPlayedOnBothDatabases looks for tests that open a shop and are not in the list.
func TestEveryStoryIsPlayedOnBothDatabases(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range opensShop(file) {
			seen++
			if stories[name] == nil && oneDatabase[name] == "" {
				t.Errorf("%s: %s is not played on PostgreSQL: add it to stories", entry.Name(), name)
			}
		}
	}
	if seen < len(stories) {
		t.Errorf("only %d of %d stories were seen: the test looks in the wrong place", seen, len(stories))
	}
}

// openers open a shop on the database of the test's choice.
var openers = []string{"openShop", "openShopWith", "closedShop"}

// opensShop are the tests of a file that open a shop on the database of their choice.
func opensShop(file *ast.File) []string {
	var names []string
	for _, declared := range file.Decls {
		test, ok := declared.(*ast.FuncDecl)
		if !ok || test.Recv != nil || !strings.HasPrefix(test.Name.Name, "Test") {
			continue
		}
		ast.Inspect(test, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			called, ok := call.Fun.(*ast.Ident)
			if ok && slices.Contains(openers, called.Name) && !slices.Contains(names, test.Name.Name) {
				names = append(names, test.Name.Name)
			}
			return true
		})
	}
	return names
}
