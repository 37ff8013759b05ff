package import GatewayCore

/// The call's recordings, transcriptions, captions and broadcasts. They involve no media here: each is a switch.
package struct StreamEgress: Hashable, Codable, Sendable {
  /// A kind of egress of which a call has at most one at a time.
  package enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Recordings of all participants together, of each participant, and of the raw tracks.
    case composite, individual, raw
    case transcription
    case captions
    case hls
    case frames

    /// Whether a file is left afterwards that can be listed and fetched.
    package var leavesFile: Bool {
      switch self {
      case .composite, .individual, .raw, .transcription: true
      case .captions, .hls, .frames: false
      }
    }

    package var isRecording: Bool { [.composite, .individual, .raw].contains(self) }
  }

  /// A run of one kind of egress, from its start.
  package struct Run: Hashable, Codable, Sendable {
    package let id: String
    /// The session in which it began; empty if there was none.
    package let session: String
    package let startedAt: WallTime
    /// The address, without a path, at which clients find the result.
    package let address: String
  }

  /// A broadcast to an external server, e.g. `rtmp://live.example/1`.
  package struct Broadcast: Hashable, Codable, Sendable {
    package let name: String
    package let url: String
    package let startedAt: WallTime
  }

  /// The running ones.
  package private(set) var runs: [Kind: Run] = [:]
  /// The broadcasts in the order in which they began; each name occurs once.
  package private(set) var broadcasts: [Broadcast] = []
  /// The number of runs so far, from which the next one is named.
  private var count = 0
  /// The kinds whose last run failed; nil if none ever did.
  private var failed: Set<Kind>?
  private var failedBroadcasts: Set<Name>?

  package init() {}

  /// Returns whether its last run failed.
  package func hasFailed(_ kind: Kind) -> Bool { failed?.contains(kind) ?? false }
  package func hasFailed(_ broadcast: String) -> Bool { failedBroadcasts?.contains(Name(broadcast)) ?? false }

  /// Ends the run as failed; returns false if it is not running.
  package mutating func fail(_ kind: Kind) -> Bool {
    guard runs.removeValue(forKey: kind) != nil else { return false }
    failed = (failed ?? []).union([kind])
    return true
  }

  /// Ends the broadcast with that name as failed; returns false if there is none.
  package mutating func failBroadcast(_ name: String) -> Bool {
    guard stopBroadcast(name) else { return false }
    failedBroadcasts = [Name(name)]
    return true
  }

  /// Starts it; does nothing if it is running.
  package mutating func start(_ kind: Kind, in session: String, from address: String, at now: WallTime) {
    guard runs[kind] == nil else { return }
    count += 1
    failed?.remove(kind)
    runs[kind] = Run(id: StreamIdentifier.text(now, count), session: session, startedAt: now, address: address)
  }

  /// Stops it; does nothing if it is not running.
  package mutating func stop(_ kind: Kind) { runs[kind] = nil }

  /// Starts the broadcast, unless there is one with that name.
  package mutating func start(_ broadcast: Broadcast) {
    failedBroadcasts?.remove(Name(broadcast.name))
    if !broadcasts.contains(where: { $0.name.utf8.elementsEqual(broadcast.name.utf8) }) { broadcasts.append(broadcast) }
  }

  /// Ends the broadcast with that name, or all if nil; returns false if there is none with that name.
  package mutating func stopBroadcast(_ name: String?) -> Bool {
    let before = broadcasts.count
    broadcasts.removeAll { broadcast in name.map { $0.utf8.elementsEqual(broadcast.name.utf8) } ?? true }
    return name == nil || broadcasts.count < before
  }

  /// Ends all except the kinds in `kept`.
  package mutating func stopAll(but kept: Set<Kind> = [], keepsBroadcasts: Bool = false) {
    runs = runs.filter { kept.contains($0.key) }
    if !keepsBroadcasts { broadcasts = [] }
  }
}

/// A file that a recording or a transcription has left, e.g. `recording-1.mp4`.
package struct StreamCallFile: Hashable, Codable, Sendable {
  package let kind: StreamEgress.Kind
  package let run: StreamEgress.Run
  package let name: String
  package let endedAt: WallTime

  /// Fails if such a run leaves no file.
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

  /// The session in the file's URL, whose path has no empty parts.
  package var session: String { run.session.isEmpty ? "none" : run.session }

  /// Returns the path at which it is fetched.
  package func path(of call: CallID) -> String {
    "/video/files/\(call.type)/\(call.id)/\(session)/\(name)"
  }
}
