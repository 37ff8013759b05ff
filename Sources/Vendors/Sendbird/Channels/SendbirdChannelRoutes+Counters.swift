internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The counters that an application keeps in a channel: whole numbers by name. Members of a group channel may change
// them, and any user in an open one.

extension SendbirdChannelRoutes {
  func counterRoutes(_ kind: SendbirdChannel.Kind) -> [HTTPRoute] {
    let all = Self.path(kind) + "/{channel_url}/metacounter"
    let one = all + "/{key}"
    return [
      resource.route("POST", all) { request throws(SendbirdError) in
        try await count(kind, request, try Self.numbers(request), .creating)
      },
      resource.route("GET", all) { request throws(SendbirdError) in
        let keys = request.texts("keys")
        let counters = try await visible(kind, request).properties.counters
        return Self.answer(counters.filter { keys?.contains($0.key) ?? true })
      },
      resource.route("PUT", all) { request throws(SendbirdError) in
        try await count(kind, request, try Self.numbers(request), try Self.mode(request))
      },
      resource.route("DELETE", all) { request throws(SendbirdError) in
        try await count(kind, request, [:], .deleting(nil))
      },
      resource.route("GET", one) { request throws(SendbirdError) in
        let key = Name(request.path["key"])
        guard let value = try await visible(kind, request).properties.counters[key] else {
          throw .notFound("Metacounter")
        }
        return Self.answer([key: value])
      },
      resource.route("PUT", one) { request throws(SendbirdError) in
        let value = try Self.number("value", try request.body.value("value"))
        return try await count(kind, request, [Name(request.path["key"]): value], try Self.mode(request))
      },
      resource.route("DELETE", one) { request throws(SendbirdError) in
        try await count(kind, request, [:], .deleting(Name(request.path["key"])))
      },
    ]
  }

  /// The operation on the counters in a request.
  private enum Mode {
    /// Creation of new counters.
    case creating
    case setting(upserts: Bool)
    /// Addition or subtraction. A missing counter begins at 0 if it `upserts`.
    case adding(sign: Int64, upserts: Bool)
    /// Deletion of all, or of one.
    case deleting(Name?)
  }

  private static func mode(_ request: SendbirdRequest) throws(SendbirdError) -> Mode {
    let body = try request.body
    let upserts = try body.bool("upsert") ?? false
    switch try body.string("mode", max: SendbirdLimits.customType) {
    case nil, "set": return .setting(upserts: upserts)
    case "increase": return .adding(sign: 1, upserts: upserts)
    case "decrease": return .adding(sign: -1, upserts: upserts)
    default: throw .invalid("mode")
    }
  }

  private static func numbers(_ request: SendbirdRequest) throws(SendbirdError) -> [Name: Int64] {
    guard let value = try request.body.value("metacounter") else { throw .missing("metacounter") }
    guard let members = value.members else { throw .notJSON("metacounter") }
    guard members.count <= SendbirdLimits.metadataCount else { throw .tooMany("metacounter") }
    var numbers: [Name: Int64] = [:]
    for (key, value) in members { numbers[Name(key)] = try number(key, value) }
    return numbers
  }

  private static func number(_ name: String, _ value: JSONView?) throws(SendbirdError) -> Int64 {
    guard let value else { throw .missing(name) }
    guard let number = value.integer else { throw .notNumber(name) }
    return number
  }

  private func count(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest, _ numbers: [Name: Int64], _ mode: Mode
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = kind == .group ? try await changeable(kind, request) : try await known(kind, request)
    try request.needsWriter()
    try Self.check(numbers.keys)
    var (before, fault) = ([Name: Int64](), SendbirdError?.none)
    let changed = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.update(
        channel.url, at: services.wallTime,
        telling: { channel in
          await tell(.countersChanged, of: channel, before, channel.properties.counters) { json, counts in
            json.member("created") { Self.write(counts.created, to: &$0) }
            json.member("updated") { Self.write(counts.updated, to: &$0) }
          }
        }
      ) { properties in
        before = properties.counters
        do throws(SendbirdError) {
          fault = nil
          properties.counters = try Self.counters(before, numbers, mode)
        } catch {
          fault = error
        }
      }
    }
    if let fault { throw fault }
    let after = changed.properties.counters
    return Self.answer(numbers.isEmpty ? after : after.filter { numbers[$0.key] != nil })
  }

  private static func counters(
    _ before: [Name: Int64], _ numbers: [Name: Int64], _ mode: Mode
  ) throws(SendbirdError) -> [Name: Int64] {
    var counters = before
    for (key, number) in numbers {
      switch mode {
      case .creating:
        guard before[key] == nil else { throw .alreadyExists("Metacounter") }
        counters[key] = number
      case .setting(let upserts): if upserts || before[key] != nil { counters[key] = number }
      case .adding(let sign, let upserts):
        guard let start = before[key] ?? (upserts ? 0 : nil) else { continue }
        let (step, isOver) = number.multipliedReportingOverflow(by: sign)
        let (sum, isAway) = start.addingReportingOverflow(step)
        guard !isOver, !isAway else { throw .outOfRange(key.text) }
        counters[key] = sum
      case .deleting: break
      }
    }
    if case .deleting(let key) = mode { if let key { counters[key] = nil } else { counters = [:] } }
    guard counters.count <= max(SendbirdLimits.metadataCount, before.count) else { throw .tooMany("metacounter") }
    return counters
  }

  private static func answer(_ counters: [Name: Int64]) -> HTTPResponse {
    SendbirdResource.answer { write(counters, to: &$0) }
  }

  private static func write(_ counters: [Name: Int64], to json: inout JSONWriter) {
    for (key, value) in counters.sorted(by: { $0.key < $1.key }) {
      json.name(key.text)
      json.integer(value)
    }
  }
}
