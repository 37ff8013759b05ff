/// A permission as grants list it: `end-call`, or `end-call-owner` for the call's creator.
///
/// Source: the permission reference of Stream's documentation (scopes `video:…`).
struct StreamPermission: Hashable, Sendable {
  let id: String
  /// The capability that it gives; nil for one that nothing here checks.
  let capability: StreamCapability?
  /// Whether it is only for the call's creator.
  let isOwners: Bool

  init(_ id: String) {
    self.id = id
    var base = Substring(id)
    isOwners = base.hasSuffix(Self.owner)
    if isOwners { base = base.dropLast(Self.owner.count) }
    // Teams are not distinguished here.
    if base.hasSuffix(Self.anyTeam) { base = base.dropLast(Self.anyTeam.count) }
    capability = Self.renamed[String(base)] ?? StreamCapability(rawValue: String(base))
  }

  static let owner = "-owner"
  private static let anyTeam = "-any-team"

  /// The permissions whose names differ from their capabilities' names.
  private static let renamed: [String: StreamCapability] = [
    "block-user": .blockUsers, "create-call-reaction": .createReaction, "pin-call-track": .pinForEveryone,
    "start-recording": .startRecordCall, "stop-recording": .stopRecordCall,
    "start-individual-recording": .startIndividualRecordCall, "stop-individual-recording": .stopIndividualRecordCall,
    "start-raw-recording": .startRawRecordCall, "stop-raw-recording": .stopRawRecordCall,
    "start-frame-recording": .startFrameRecordCall, "stop-frame-recording": .stopFrameRecordCall,
    "start-transcription": .startTranscriptionCall, "stop-transcription": .stopTranscriptionCall,
    "start-closed-captions": .startClosedCaptionsCall, "stop-closed-captions": .stopClosedCaptionsCall,
    "send-closed-captions": .sendClosedCaptionsCall, "start-broadcasting": .startBroadcastCall,
    "stop-broadcasting": .stopBroadcastCall,
  ]

  /// The ids of all permissions, without those for creators only.
  static let catalogue: [String] = {
    let names = Dictionary(renamed.map { ($1, $0) }, uniquingKeysWith: min)
    return StreamCapability.allCases.map { names[$0] ?? $0.rawValue }.sorted()
  }()

  /// Returns the permission with that id if the catalogue has it.
  static func known(_ id: String) -> StreamPermission? {
    let base = id.hasSuffix(owner) ? String(id.dropLast(owner.count)) : id
    return catalogue.contains { $0.utf8.elementsEqual(base.utf8) } ? StreamPermission(id) : nil
  }

  /// Returns the id of the built-in permission for that action: `end-call-owner` for `EndCall` in the user's own calls.
  static func id(of action: String, isOwners: Bool) -> String? {
    catalogue.first { StreamPermission($0).action.utf8.elementsEqual(action.utf8) }.map { isOwners ? $0 + owner : $0 }
  }

  /// The name of the permitted action, e.g. `EndCall`.
  var action: String {
    let base = isOwners ? String(id.dropLast(Self.owner.count)) : id
    return base.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
