import {
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core';
import type { Boot } from '../server/boot.js';
import { t } from './texts.js';

const FONT =
  "Inter, 'Inter Variable', ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans Arabic', 'Helvetica Neue', Arial, sans-serif";
const PRIMARY = '#4f46e5';

type Rgb = readonly [number, number, number];
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [12, 12, 30];
const rgbOf = (hex: string): Rgb => {
  const long = /^#[\da-f]{3}$/i.test(hex) ? hex.replaceAll(/[\da-f]/gi, '$&$&') : hex;
  return [1, 3, 5].map((at) => Number.parseInt(long.slice(at, at + 2), 16)) as unknown as Rgb; // three numbers
};
const mix = (from: Rgb, to: Rgb, share: number): string =>
  `#${from
    .map((value, at) =>
      Math.round(value + (to[at]! - value) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

/** Ten shades of a color, the color itself at 6. */
export function shadesOf(hex: string): MantineColorsTuple {
  const base = rgbOf(/^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(hex) ? hex : PRIMARY);
  const lighter = [0.94, 0.86, 0.72, 0.54, 0.36, 0.18].map((share) => mix(base, WHITE, share));
  const darker = [0.12, 0.26, 0.4].map((share) => mix(base, BLACK, share));
  return [...lighter, mix(base, WHITE, 0), ...darker] as unknown as MantineColorsTuple; // ten shades
}

const GRAY: MantineColorsTuple = [
  '#fafafa',
  '#f4f4f5',
  '#ececef',
  '#e1e1e6',
  '#d0d0d7',
  '#a6a6b0',
  '#71717c',
  '#52525c',
  '#33333b',
  '#1b1b21',
];
const DARK: MantineColorsTuple = [
  '#ededf0',
  '#d4d4da',
  '#a9a9b4',
  '#85858f',
  '#47474f',
  '#34343b',
  '#26262b',
  '#1a1a1e',
  '#131316',
  '#0c0c0e',
];

export function themeOf({ theme }: Boot): MantineThemeOverride {
  return createTheme({
    fontFamily: theme.font ?? FONT,
    fontFamilyMonospace: "ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, monospace",
    primaryColor: 'primary',
    primaryShade: 6,
    autoContrast: true,
    luminanceThreshold: 0.38,
    colors: { red: shadesOf('#c92a2a'), primary: shadesOf(theme.primary ?? PRIMARY), gray: GRAY, dark: DARK },
    fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
    lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
    radius: { xs: '4px', sm: '6px', md: theme.radius ?? '8px', lg: '12px', xl: '16px' },
    defaultRadius: 'md',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      Button: { defaultProps: { size: 'sm', fw: 500 } },
      ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 32 } },
      TextInput: { defaultProps: { size: 'sm' } },
      PasswordInput: {
        defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('Show or hide the password') } },
      },
      Textarea: { defaultProps: { size: 'sm', autosize: true, minRows: 3 } },
      Select: {
        defaultProps: {
          size: 'sm',
          checkIconPosition: 'right',
          allowDeselect: false,
          comboboxProps: { shadow: 'md' },
        },
      },
      MultiSelect: { defaultProps: { size: 'sm', comboboxProps: { shadow: 'md' } } },
      Checkbox: { defaultProps: { size: 'xs', radius: 'xs' } },
      Switch: { defaultProps: { size: 'sm', withThumbIndicator: false } },
      Menu: {
        defaultProps: {
          shadow: 'md',
          position: 'bottom-end',
          offset: 4,
          // rendered beside its button, so that screen readers find it in the same region
          withinPortal: false,
          // screen readers expect only menu items inside a menu
          withInitialFocusPlaceholder: false,
        },
      },
      Modal: {
        defaultProps: {
          centered: true,
          padding: 'lg',
          overlayProps: { backgroundOpacity: 0.35, blur: 1 },
          closeButtonProps: { 'aria-label': t('Close') },
          attributes: { header: { role: 'presentation' } }, // a dialog may open above another
        },
      },
      Drawer: {
        defaultProps: {
          overlayProps: { backgroundOpacity: 0.35 },
          closeButtonProps: { 'aria-label': t('Close') },
        },
      },
      Notification: { defaultProps: { withBorder: true, closeButtonProps: { 'aria-label': t('Close') } } },
    },
  });
}

/** Colors of both schemes. */
export const variablesOf: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--fa-page': '#ffffff',
    '--fa-side': '#f8f8f9',
    '--fa-panel': '#ffffff',
    '--fa-sunken': '#f7f7f8',
    '--fa-hover': '#f5f5f6',
    '--fa-line': '#e9e9ec',
    '--fa-line-strong': '#d6d6dc',
    '--fa-text': '#1b1b21',
    '--fa-soft': '#52525c',
    '--fa-faint': '#6b6b76',
    '--fa-shadow': '0 1px 2px rgb(20 20 40 / 4%)',
    '--fa-green': '#0f7a45',
    '--fa-green-bg': '#e7f6ed',
    '--fa-amber': '#8f5200',
    '--fa-amber-bg': '#fdf1dc',
    '--fa-red': '#b42318',
    '--fa-red-bg': '#fdeceb',
    '--fa-blue': '#1c5fb8',
    '--fa-blue-bg': '#e8f1fc',
    '--fa-gray-bg': '#f0f0f2',
    '--fa-chart-past': '0.55',
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1b1b21',
    '--mantine-color-dimmed': '#6b6b76',
    '--mantine-color-default-border': '#dcdce1',
    '--mantine-color-placeholder': '#71717c',
    '--mantine-color-error': '#b42318',
  },
  dark: {
    '--fa-page': '#111113',
    '--fa-side': '#0c0c0e',
    '--fa-panel': '#17171a',
    '--fa-sunken': '#1d1d21',
    '--fa-hover': '#1f1f23',
    '--fa-line': '#27272c',
    '--fa-line-strong': '#3a3a42',
    '--fa-text': '#ededf0',
    '--fa-soft': '#b4b4be',
    '--fa-faint': '#9a9aa5',
    '--fa-shadow': 'none',
    '--fa-green': '#5fd39a',
    '--fa-green-bg': '#12281d',
    '--fa-amber': '#efb45c',
    '--fa-amber-bg': '#2c2113',
    '--fa-red': '#f78a82',
    '--fa-red-bg': '#331a19',
    '--fa-blue': '#82b4f5',
    '--fa-blue-bg': '#15243a',
    '--fa-gray-bg': '#26262b',
    '--fa-chart-1': 'var(--mantine-primary-color-4)',
    '--fa-chart-2': '#f5a524',
    '--fa-chart-3': '#f472b6',
    '--fa-chart-4': '#2dd4bf',
    '--fa-chart-past': '0.75',
    '--mantine-color-body': '#111113',
    '--mantine-color-text': '#ededf0',
    '--mantine-color-dimmed': '#9a9aa5',
    '--mantine-color-default': '#1c1c20',
    '--mantine-color-default-hover': '#26262b',
    '--mantine-color-default-border': '#34343b',
    '--mantine-color-placeholder': '#90909b',
    '--mantine-color-error': '#f78a82',
  },
});
