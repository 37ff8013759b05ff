import GatewayDrafts
import TestSupport
import Testing

extension HostileBytes {
  /// Drafts a wire from each of `count` files. Fails unless each is drafted or refused with words, and over fifty are drafted.
  mutating func expectDraftOrRefusal(count: Int = 2_000) {
    var drafted = 0
    for _ in 0..<count {
      do throws(Recording.Malformed) {
        _ = try WireDraft(try Recording(reading: next()), name: "w").text
        drafted += 1
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
    #expect(drafted > 50)
  }
}
