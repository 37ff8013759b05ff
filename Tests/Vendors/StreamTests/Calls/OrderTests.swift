import GatewayCore
import GatewayJSON
import TestSupport
import Testing

@Suite(.onNodes)
struct OrderTests {
  @Test
  func `events arrive in the order of the changes, however long one takes to encode`() throws {
    let http = try StreamCallWorld()
    let store = http.stream.space.store
    func startsAt() throws -> String? { try http.ask("GET", "call/default/a").body.at("call.starts_at")?.string }
    let times = (1...2).map { "1970-01-01T00:00:0\($0).000000000Z" }
    _ = try http.ask("POST", "call/default/a")
    store.fault = .late(.seconds(1))
    _ = http.begin("PATCH", "call/default/a", #"{"starts_at":"\#(times[0])"}"#)
    // Until the first one is created: its users are being looked up, which takes another second.
    for _ in 0..<10 {
      http.advance(by: .seconds(1))
      store.fault = nil
      if try startsAt() == times[0] { break }
      store.fault = .late(.seconds(1))
    }
    _ = http.begin("PATCH", "call/default/a", #"{"starts_at":"\#(times[1])"}"#)
    #expect(try startsAt() == times[0] && http.told() == ["call.created"], "the second waits for the first to be told")
    http.advance(by: .seconds(1))
    let heard = http.events().filter { $0["type"]?.string == "call.updated" }.map { $0["call"]?["starts_at"]?.string }
    #expect(heard == times)
  }
}
