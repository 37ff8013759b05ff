import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySinch

@Suite(.onNodes)
struct SinchSignallingTests {
  @Test
  func
    `the legacy web connection polls a silent network, at once at first, then for 8 s, and for its own application only`()
    throws
  {
    let gateway = SimulatedSinch()
    func poll(_ time: String, _ key: String = "sub-app") -> HTTPResponse? {
      gateway.fetch("GET", "/subscribe/\(key)/broadcast,signal/0/\(time)")
    }
    #expect(gateway.fetch("GET", "/time/0")?.text == "[18000000000000000]")
    #expect(poll("0")?.text == #"[[],"18000000000000000"]"#)
    #expect(poll("18000000000000000")?.text == #"[[],"18000000080000000"]"#)
    for time in ["", "x", "-1", "1.5", "99999999999999999999999"] { #expect(poll(time)?.status != 200) }
    for key in ["sub-", "sub-other", "pub-app", "app"] { #expect(poll("0", key)?.status == 401) }
    let leaving = gateway.fetch("GET", "/v2/presence/sub_key/sub-app/channel/signal/leave")
    #expect(leaving?.status == 200 && leaving?.text.contains(#""action":"leave""#) == true)
    for path in ["/time/0", "/subscribe/sub-app/a/0/0", "/ocra/v1/users/a", "/users/username/a"] {
      let refused = gateway.fetch("PATCH", path)
      #expect(refused?.text.hasPrefix(#"{"errorCode":"#) == true, "\(path) \(refused?.text ?? "")")
    }
    #expect(SimulatedSinch { $0.offersLegacy = false }.fetch("GET", "/time/0")?.status == 404)
  }
}
