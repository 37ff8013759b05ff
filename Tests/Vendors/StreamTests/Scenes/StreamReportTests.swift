import Foundation
import GatewayCore
import GatewayFleet
import GatewayReport
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamReportTests {
  @Test(.long)
  func `clients that return by themselves have lines of their own in the table, the page and the JSON`() throws {
    var storm = try VirtualStorm()
    storm.dialect = StreamVideoClientDialect(.javascript, apiKey: "key")
    var stream = StreamVideoSettings(
      applications: StreamApplications(fallback: try StreamApplication(secret: VirtualStorm.secret)))
    stream.expiry.closeCode = 4000
    storm.vendor = stream
    storm.plan.clients = 20
    storm.plan.dialect = storm.dialect.name
    storm.plan.sdk = storm.dialect.sdk
    let result = try storm.run().result
    let report = StormReport(
      plan: storm.plan, gateway: "ws://127.0.0.1:8080/video/connect", provider: "none",
      startedAt: WallTime(seconds: 1_800_000_000),
      machine: Machine(cores: 2, memoryBytes: 8 << 30, processor: "fast", system: "Debian", kernel: "6.1"),
      result: result, thresholds: [])
    let text = report.table.joined(separator: "\n")
    for words in [
      "stream-video, javascript SDK", "Coming back", "2.00 per client, longest 2", "40 token_expired 20",
      "with the old token  ", "without a connection",
    ] {
      #expect(text.contains(words), "\(words) in \(text)")
    }
    #expect(report.html.contains("aria-label=\"Outage: ") && report.html.contains("stream-video, javascript SDK"))
    let json = try #require(try JSONSerialization.jsonObject(with: Data(report.json())) as? [String: Any])
    #expect(json["dialect"] as? String == "stream-video" && json["sdk"] as? String == "javascript")
    let returns = try #require((json["result"] as? [String: Any])?["returns"] as? [String: Any])
    #expect(returns["refused_with_old_token"] as? Int == 20 && returns["attempts"] as? Int == 40)
  }
}
