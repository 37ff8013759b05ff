import GatewayCore
import GatewayRuntime
import Testing

struct BrowserUpgradeTests {
  @Test(
    arguments: [
      (["origin": "https://a.example", "user-agent": "Mozilla/5.0 (X11)"], true),
      (["sec-fetch-mode": "websocket", "user-agent": "node"], true),
      (["origin": "http://127.0.0.1"], false), (["user-agent": "Mozilla/5.0"], false), ([:], false),
    ] as [([String: String], Bool)])
  func `an upgrade is a browser's by the fields that only browsers send`(headers: [String: String], isOfBrowser: Bool) {
    let request = HTTPRequest(
      method: "GET", path: "/", headers: headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) })
    #expect(request.isOfBrowser == isOfBrowser)
  }
}
