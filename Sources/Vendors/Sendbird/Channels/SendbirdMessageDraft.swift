internal import GatewayCore
internal import GatewayJSON

/// A message to send, read from a socket command or an HTTP body, which have the same members.
struct SendbirdMessageDraft: Sendable {
  let kind: SendbirdMessage.Kind
  private let text: String
  private let data: String
  private let customType: Name
  private let mentionType: String
  private let mentionedUsers: [UserID]
  private let files: [SendbirdMessage.File]
  private let metaArrays: [SendbirdMessage.MetaArray]
  private let parentID: Int64?
  private let isReplyToChannel: Bool
  private let languages: [Name]
  /// The poll of the message.
  let poll: Int64?
  /// Whether it is pinned to the channel.
  let isPinned: Bool

  /// Reads a draft.
  ///
  /// - Parameter kept: The stored file, if the body contained one.
  init(
    _ kind: SendbirdMessage.Kind, _ body: SendbirdParameters, file kept: SendbirdMessage.File? = nil
  ) throws(SendbirdError) {
    self.kind = kind
    text =
      kind == .file
      ? try body.string("message", max: SendbirdLimits.message) ?? ""
      : try body.requiredString("message", max: SendbirdLimits.message)
    if let kept { files = [kept] } else { files = kind == .file ? try Self.files(body) : [] }
    // On the socket a file's data has another name.
    let other = try body.string("custom", max: SendbirdLimits.messageData)
    data = try body.string("data", max: SendbirdLimits.messageData) ?? other ?? ""
    customType = try body.name("custom_type", max: SendbirdLimits.customType) ?? ""
    mentionType = try Self.mentionType(body) ?? "users"
    mentionedUsers = try body.users("mentioned_user_ids", count: SendbirdLimits.mentions) ?? []
    let arrays = try body.metaArrays("metaarray")
    metaArrays = try body.metaArrays("sorted_metaarray") ?? arrays ?? []
    parentID = try body.integer("parent_message_id").flatMap { $0 > 0 ? $0 : nil }
    isReplyToChannel = try body.bool("reply_to_channel") ?? false
    let socketLanguages = try body.languages("target_langs")
    languages = try body.languages("translation_target_langs") ?? socketLanguages ?? []
    poll = try body.integer("poll_id")
    isPinned = try body.bool("pin_message") ?? false
  }

  static func mentionType(_ body: SendbirdParameters) throws(SendbirdError) -> String? {
    guard let type = try body.string("mention_type", max: SendbirdLimits.customType), !type.isEmpty else { return nil }
    guard type == "users" || type == "channel" else { throw .invalid("mention_type") }
    return type
  }

  /// Reads the files, which are given by URL, directly or as elements of `files`.
  private static func files(_ body: SendbirdParameters) throws(SendbirdError) -> [SendbirdMessage.File] {
    let listed = try body.objects("files", count: SendbirdMessage.filesMax) { (file) throws(SendbirdError) in
      try Self.single(file)
    }
    if let listed, !listed.isEmpty { return listed }
    return [try single(body)]
  }

  private static func single(_ body: SendbirdParameters) throws(SendbirdError) -> SendbirdMessage.File {
    let otherName = try body.string("file_name", max: SendbirdLimits.fileName)
    let otherType = try body.string("file_type", max: SendbirdLimits.customType)
    let otherSize = try body.integer("file_size")
    return SendbirdMessage.File(
      url: try body.requiredString("url", max: SendbirdLimits.url),
      name: try body.string("name", max: SendbirdLimits.fileName) ?? otherName ?? "",
      type: try body.string("type", max: SendbirdLimits.customType) ?? otherType ?? "",
      size: try body.integer("size") ?? otherSize ?? 0, thumbnails: try thumbnails(body))
  }

  /// Reads the thumbnails from the answer to the file's upload.
  private static func thumbnails(_ body: SendbirdParameters) throws(SendbirdError) -> [SendbirdThumbnail]? {
    // Some clients send an empty text if there are none, or only texts.
    guard let listed = body.value("thumbnails")?.elements, listed.allSatisfy(\.isObject) else { return nil }
    let thumbnails = try body.objects("thumbnails", count: SendbirdLimits.thumbnails) {
      (thumbnail) throws(SendbirdError) in
      func side(_ name: String) throws(SendbirdError) -> Int64 {
        min(try thumbnail.integer(name) ?? 0, SendbirdLimits.pixels)
      }
      return SendbirdThumbnail(
        url: try thumbnail.string("url", max: SendbirdLimits.url) ?? "", width: try side("width"),
        height: try side("height"), realWidth: try side("real_width"), realHeight: try side("real_height"))
    }
    return thumbnails.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the message; without a sender for an admin message.
  func message(in channelURL: Name, by sender: SendbirdUser?, at now: WallTime) -> SendbirdMessage {
    var message = SendbirdMessage(
      kind, in: channelURL, by: sender.map { SendbirdMessage.Sender($0) }, text: text,
      file: files.count == 1 ? files[0] : nil, createdAt: now)
    if files.count > 1 { message.files = files }
    message.data = data
    message.customType = customType
    message.mentionType = mentionType
    message.mentionedUsers = mentionedUsers
    message.metaArrays = metaArrays
    message.parentID = parentID
    message.isReplyToChannel = parentID != nil && isReplyToChannel
    for language in languages { message.translations[language] = text }
    return message
  }
}

extension SendbirdMessage.File {
  init(_ kept: SendbirdStorage.Kept) {
    self.init(
      url: kept.url, name: kept.file.name, type: kept.file.type, size: Int64(kept.file.bytes.count),
      thumbnails: kept.thumbnails.isEmpty ? nil : kept.thumbnails)
  }
}

/// The changes of a message in a request. Missing properties stay as they are.
struct SendbirdMessageChange: Sendable {
  private let text: String?
  private let data: String?
  private let customType: Name?
  private let mentionType: String?
  private let mentionedUsers: [UserID]?

  init(_ body: SendbirdParameters) throws(SendbirdError) {
    text = try body.string("message", max: SendbirdLimits.message)
    let other = try body.string("custom", max: SendbirdLimits.messageData)
    data = try body.string("data", max: SendbirdLimits.messageData) ?? other
    customType = try body.name("custom_type", max: SendbirdLimits.customType)
    mentionType = try SendbirdMessageDraft.mentionType(body)
    mentionedUsers = try body.users("mentioned_user_ids", count: SendbirdLimits.mentions)
  }

  func apply(to message: inout SendbirdMessage, at now: WallTime) {
    if let text { message.text = text }
    if let data { message.data = data }
    if let customType { message.customType = customType }
    if let mentionType { message.mentionType = mentionType }
    if let mentionedUsers { message.mentionedUsers = mentionedUsers }
    message.updatedAt = now
  }
}

extension Fields<SendbirdWords> {
  /// The message's kind: a text, unless `message_type` says a file.
  var messageKind: SendbirdMessage.Kind {
    get throws(SendbirdError) {
      switch try string("message_type", max: SendbirdLimits.customType) {
      case nil, "MESG": .text
      case "FILE": .file
      default: throw .invalid("message_type")
      }
    }
  }
}
