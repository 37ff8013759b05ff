package import GatewayCore

/// The things that are taken out of a call while it takes place, a recording for instance. Nothing of it is media here:
/// each is a switch that somebody has put on.
package struct StreamEgress: Hashable, Codable, Sendable {
  /// A kind of thing that there is at most one of in a call: captions, for instance.
  package enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// The recordings: of all participants together, of each by themselves, of what they sent as it came.
    case composite, individual, raw
    case transcription
    case captions
    case hls
    case frames

    /// Whether something is left that can be listed and fetched when it has stopped.
    package var leavesFile: Bool {
      switch self {
      case .composite, .individual, .raw, .transcription: true
      case .captions, .hls, .frames: false
      }
    }

    package var isRecording: Bool { [.composite, .individual, .raw].contains(self) }
  }

  /// A time that something is on: a recording since noon, for instance.
  package struct Run: Hashable, Codable, Sendable {
    package let id: String
    /// The session it began in; empty if there was none.
    package let session: String
    package let startedAt: WallTime
    /// Where clients find what comes of it: an address without a path.
    package let address: String
  }

  /// A broadcast to somebody else's server: to `rtmp://live.example/1`, for instance.
  package struct Broadcast: Hashable, Codable, Sendable {
    package let name: String
    package let url: String
    package let startedAt: WallTime
  }

  /// What is on.
  package private(set) var runs: [Kind: Run] = [:]
  /// In the order in which they began, no name twice.
  package private(set) var broadcasts: [Broadcast] = []
  /// How many there ever were: names the next one.
  private var count = 0
  /// What failed when it was on last; nil if nothing ever did.
  private var failed: Set<Kind>?
  private var failedBroadcasts: Set<Name>?

  package init() {}

  /// Whether it ended the last time because it failed.
  package func hasFailed(_ kind: Kind) -> Bool { failed?.contains(kind) ?? false }
  package func hasFailed(_ broadcast: String) -> Bool { failedBroadcasts?.contains(Name(broadcast)) ?? false }

  /// Puts it off as failed; false if it is not on.
  package mutating func fail(_ kind: Kind) -> Bool {
    guard runs.removeValue(forKey: kind) != nil else { return false }
    failed = (failed ?? []).union([kind])
    return true
  }

  /// Ends the broadcast of that name as failed; false if there is none.
  package mutating func failBroadcast(_ name: String) -> Bool {
    guard stopBroadcast(name) else { return false }
    failedBroadcasts = [Name(name)]
    return true
  }

  /// Puts it on; nothing happens if it is.
  package mutating func start(_ kind: Kind, in session: String, from address: String, at now: WallTime) {
    guard runs[kind] == nil else { return }
    count += 1
    failed?.remove(kind)
    runs[kind] = Run(id: StreamIdentifier.text(now, count), session: session, startedAt: now, address: address)
  }

  /// Puts it off; nothing happens if it is.
  package mutating func stop(_ kind: Kind) { runs[kind] = nil }

  /// Begins the broadcast, unless there is one of that name.
  package mutating func start(_ broadcast: Broadcast) {
    failedBroadcasts?.remove(Name(broadcast.name))
    if !broadcasts.contains(where: { $0.name.utf8.elementsEqual(broadcast.name.utf8) }) { broadcasts.append(broadcast) }
  }

  /// Ends the broadcast of that name, or all if nil; false if there is none of that name.
  package mutating func stopBroadcast(_ name: String?) -> Bool {
    let before = broadcasts.count
    broadcasts.removeAll { broadcast in name.map { $0.utf8.elementsEqual(broadcast.name.utf8) } ?? true }
    return name == nil || broadcasts.count < before
  }

  /// Ends all but what is to go on.
  package mutating func stopAll(but kept: Set<Kind> = [], keepsBroadcasts: Bool = false) {
    runs = runs.filter { kept.contains($0.key) }
    if !keepsBroadcasts { broadcasts = [] }
  }
}

/// A file that a recording or a transcription has left: `recording-1.mp4`, for instance.
package struct StreamCallFile: Hashable, Codable, Sendable {
  package let kind: StreamEgress.Kind
  package let run: StreamEgress.Run
  package let name: String
  package let endedAt: WallTime

  /// Nil if nothing is left of such a run.
  init?(_ kind: StreamEgress.Kind, _ run: StreamEgress.Run, of call: CallID, until end: WallTime) {
    guard kind.leavesFile else { return nil }
    self.kind = kind
    self.run = run
    endedAt = end
    let milliseconds = run.startedAt.nanoseconds / 1_000_000
    name =
      kind.isRecording
      ? "rec_\(call.type)_\(call.id)_\(kind.rawValue)_\(milliseconds).mp4"
      : "transcript_\(call.type)_\(call.id)_\(milliseconds).jsonl"
  }

  /// What stands for the session in its address, which has no empty parts.
  package var session: String { run.session.isEmpty ? "none" : run.session }

  /// Where it is fetched from.
  package func path(of call: CallID) -> String {
    "/video/files/\(call.type)/\(call.id)/\(session)/\(name)"
  }
}
