internal import GatewayCore

/// The call's recordings, transcriptions, captions and broadcasts. They involve no media here: each is a switch.
struct StreamEgress: Hashable, Codable, Sendable {
  /// A kind of egress of which a call has at most one at a time.
  enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Recordings of all participants together, of each participant, and of the raw tracks.
    case composite, individual, raw
    case transcription
    case captions
    case hls
    case frames

    /// Whether a file is left afterwards that can be listed and fetched.
    var leavesFile: Bool {
      switch self {
      case .composite, .individual, .raw, .transcription: true
      case .captions, .hls, .frames: false
      }
    }

    var isRecording: Bool { [.composite, .individual, .raw].contains(self) }
  }

  /// A run of one kind of egress, from its start.
  struct Run: Hashable, Codable, Sendable {
    let id: String
    /// The session in which it began; empty if there was none.
    let session: String
    let startedAt: WallTime
    /// The address, without a path, at which clients find the result.
    let address: String
  }

  /// A broadcast to an external server, e.g. `rtmp://live.example/1`.
  struct Broadcast: Hashable, Codable, Sendable {
    let name: String
    let url: String
    let startedAt: WallTime
  }

  /// The running ones.
  private(set) var runs: [Kind: Run] = [:]
  /// The broadcasts in the order in which they began; each name occurs once.
  private(set) var broadcasts: [Broadcast] = []
  /// The number of runs so far, which names the next one.
  private var count = 0
  /// The kinds whose last run failed; nil if none ever did.
  private var failed: Set<Kind>?
  private var failedBroadcasts: Set<Name>?

  init() {}

  /// Returns whether its last run failed.
  func hasFailed(_ kind: Kind) -> Bool { failed?.contains(kind) ?? false }
  func hasFailed(_ broadcast: String) -> Bool { failedBroadcasts?.contains(Name(broadcast)) ?? false }

  /// Ends the run as failed; returns false if it is not running.
  mutating func fail(_ kind: Kind) -> Bool {
    guard runs.removeValue(forKey: kind) != nil else { return false }
    failed = (failed ?? []).union([kind])
    return true
  }

  /// Ends the broadcast with that name as failed; returns false if there is none.
  mutating func failBroadcast(_ name: String) -> Bool {
    guard stopBroadcast(name) else { return false }
    failedBroadcasts = [Name(name)]
    return true
  }

  /// Starts it; does nothing if it is running.
  mutating func start(_ kind: Kind, in session: String, from address: String, at now: WallTime) {
    guard runs[kind] == nil else { return }
    count += 1
    failed?.remove(kind)
    runs[kind] = Run(id: StreamIdentifier.text(now, count), session: session, startedAt: now, address: address)
  }

  /// Stops it; does nothing if it is not running.
  mutating func stop(_ kind: Kind) { runs[kind] = nil }

  /// Starts the broadcast, unless there is one with that name.
  mutating func start(_ broadcast: Broadcast) {
    failedBroadcasts?.remove(Name(broadcast.name))
    if !broadcasts.contains(where: { $0.name.utf8.elementsEqual(broadcast.name.utf8) }) { broadcasts.append(broadcast) }
  }

  /// Ends the broadcast with that name, or all if nil; returns false if there is none with that name.
  mutating func stopBroadcast(_ name: String?) -> Bool {
    let before = broadcasts.count
    broadcasts.removeAll { broadcast in name.map { $0.utf8.elementsEqual(broadcast.name.utf8) } ?? true }
    return name == nil || broadcasts.count < before
  }

  /// Ends all except the kinds in `kept`.
  mutating func stopAll(but kept: Set<Kind> = [], keepsBroadcasts: Bool = false) {
    runs = runs.filter { kept.contains($0.key) }
    if !keepsBroadcasts { broadcasts = [] }
  }
}

/// A file that a recording or a transcription has left, e.g. `recording-1.mp4`.
struct StreamCallFile: Hashable, Codable, Sendable {
  let kind: StreamEgress.Kind
  let run: StreamEgress.Run
  let name: String
  let endedAt: WallTime

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
  var session: String { run.session.isEmpty ? "none" : run.session }

  /// Returns the path at which it is fetched.
  func path(of call: CallID) -> String {
    "/video/files/\(call.type)/\(call.id)/\(session)/\(name)"
  }
}
