extension String {
    /// Whether the text has characters that are invisible or change the direction of text. Joiners, variation selectors
    /// and tags are allowed where emoji and scripts need them: after another character that is visible.
    public var hasDeceptiveCharacters: Bool {
        var mayJoin = false
        var isInFlag = false
        for scalar in unicodeScalars {
            switch scalar.kind {
            case .visible:
                mayJoin = true
                isInFlag = scalar == Self.flag
            case .blank: (mayJoin, isInFlag) = (false, false)
            case .joiner:
                guard mayJoin else { return true }
            case .tag:
                guard isInFlag else { return true }
            case .deceptive: return true
            }
        }
        return false
    }

    /// Whether a reader sees anything of the text.
    public var hasVisibleCharacter: Bool { unicodeScalars.contains { $0.kind == .visible } }

    /// The flag that begins the emoji of regions, such as Scotland, which tags follow.
    private static let flag = Unicode.Scalar(0x1F3F4)
}

extension Unicode.Scalar {
    fileprivate enum Kind { case visible, blank, joiner, tag, deceptive }

    fileprivate var kind: Kind {
        switch value {
        case 0x200C, 0x200D, 0xFE00...0xFE0F: return .joiner
        case 0xE0020...0xE007F: return .tag
        // Unicode does not count the blank pattern of Braille as white space.
        case 0x2800: return .blank
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return .deceptive
        case .spaceSeparator: return .blank
        default: return properties.isDefaultIgnorableCodePoint ? .deceptive : .visible
        }
    }
}
