import GatewayCore
import GatewayIdentity
import GatewayKit
import GatewaySpace
import GatewayTelemetry
import TestSupport
import Testing

@testable import postern

@Suite struct TracesDraftTests {
  private static func settings(
    _ words: [String], _ environment: [String: String] = [:], note: (String) -> Void = { _ in }
  ) throws -> TelemetrySettings? {
    let flags = TracesDraft.options.map(\.flag)
    var draft = TracesDraft()
    let arguments = try Arguments(words, flags: flags, environment: [:], operands: false, among: Postern.commands)
    try arguments.read(TracesDraft.options, into: &draft)
    return try draft.settings("postern", environment, note: note)
  }

  private static let variables = [
    "OTEL_EXPORTER_OTLP_ENDPOINT": "https://otel.example/base", "OTEL_SERVICE_NAME": "edge",
    "OTEL_TRACES_SAMPLER_ARG": "0.25",
  ]

  @Test func `without a collector there are no traces`() throws {
    #expect(try Self.settings([])?.address == nil)
    #expect(try Self.settings([], ["OTEL_EXPORTER_OTLP_ENDPOINT": "", "OTEL_SERVICE_NAME": "edge"])?.address == nil)
  }

  @Test func `traces are sent below the collector's address, one in a hundred and without users`() throws {
    for url in ["http://127.0.0.1:4318", "http://127.0.0.1:4318/"] {
      let settings = try #require(try Self.settings(["--otlp", url]))
      #expect(settings.address.text == "http://127.0.0.1:4318/v1/traces")
      #expect(settings.share == 0.01 && !settings.namesUsers && settings.resource.service == "postern")
    }
  }

  @Test func `OpenTelemetry's variables stand in for flags, which win`() throws {
    let read = try #require(try Self.settings([], Self.variables))
    #expect(read.address.text == "https://otel.example/base/v1/traces")
    #expect(read.share == 0.25 && read.resource.service == "edge")
    let given = try #require(
      try Self.settings(["--otlp", "http://[::1]:1", "--trace-share", "1", "--trace-users"], Self.variables))
    #expect(given.address.text == "http://[::1]:1/v1/traces" && given.share == 1 && given.namesUsers)
  }

  @Test(arguments: [
    "http://otel.example:4318", "https://ann:secret@otel.example", "https://otel.example/#x", "otel.example:4318",
    "https://otel.example/?key=1", "grpc://127.0.0.1:4317",
  ])
  func `an address that is not asked is refused from the flag, and from the variable where a flag wants traces`(
    url: String
  ) throws {
    #expect(throws: UsageError.self) { try Self.settings(["--otlp", url]) }
    let variable = ["OTEL_EXPORTER_OTLP_ENDPOINT": url]
    #expect(throws: UsageError.self) { try Self.settings(["--trace-share", "1"], variable) }
    var notes: [String] = []
    #expect(try Self.settings([], variable) { notes.append($0) }?.address == nil)
    #expect(notes.count == 1 && notes[0].contains(bytesOf: "OTEL_EXPORTER_OTLP_ENDPOINT"))
  }

  @Test func `a share is from 0 to 1, and the other flags need a collector`() {
    for share in ["-0.1", "1.1", "nan", "all"] {
      #expect(throws: UsageError.self) { try Self.settings(["--otlp", "http://127.0.0.1:1", "--trace-share", share]) }
      #expect(throws: UsageError.self) {
        try Self.settings(["--otlp", "http://127.0.0.1:1"], ["OTEL_TRACES_SAMPLER_ARG": share])
      }
    }
    #expect(throws: UsageError.self) { try Self.settings(["--trace-share", "1"]) }
    #expect(throws: UsageError.self) { try Self.settings(["--trace-users"]) }
  }
}
