import GatewayCore
import GatewayKit
import Testing

@testable import postern

struct WorkerOrderTests {
  private static func order(version: String = GatewayDescription.currentVersion, storm: String) -> WorkerOrder {
    let part = StormPart(process: 0, processes: 1, startsAt: WallTime(seconds: 1.8e9), run: "", pins: [])
    return WorkerOrder(version: version, storm: storm, words: [], environment: [:], part: part)
  }

  @Test
  func `an order of another version is refused, whatever it contains`() {
    #expect {
      try Self.order(version: "0.9", storm: "0123456789abcdef").check()
    } throws: {
      ($0 as? WorkerRefusal)?.status == 409 && "\($0)".contains("postern 0.9")
    }
  }

  @Test(arguments: [
    "", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcde/", "é23456789abcdef",
  ])
  func `an order of a storm without a proper name is refused`(storm: String) {
    #expect {
      try Self.order(storm: storm).check()
    } throws: {
      ($0 as? WorkerRefusal)?.status == 400
    }
  }

  @Test
  func `the names of storms have the form that workers accept`() throws {
    for _ in 0..<100 { try Self.order(storm: StormOptions.newRun()).check() }
  }

  @Test
  func `a refusal is read with its message, which is bounded, and anything else as no worker's`() {
    let long = String(repeating: "x", count: 10_000)
    let refusal = WorkerRefusal(
      HTTPResponse(status: 409, contentType: "application/json", text: #"{"error":{"message":"busy \#(long)"}}"#))
    #expect(refusal.status == 409 && refusal.message.hasPrefix("busy x") && refusal.message.count == 500)
    let other = WorkerRefusal(HTTPResponse(status: 404, contentType: "text/html", text: "<html>"))
    #expect(other.message == "no postern worker answers there (HTTP 404)")
  }
}
